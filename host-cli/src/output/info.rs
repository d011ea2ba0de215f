//! What is known, for people and as rows.

use crate::info::{Info, TargetInfo};
use crate::result::MarkKind;

use super::{Document, Grid};

impl Document for Info {
    const ROWS: &'static [&'static str] = &["settings", "models"];

    fn heading(&self) -> Vec<String> {
        let Some(target) = &self.target else {
            return Vec::new();
        };
        let models = target.marks.iter();
        let models = models.filter(|m| m.kind == MarkKind::ModelOnly);
        models.map(|m| format!("MODEL ONLY: {}", m.text)).collect()
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grids = vec![facts(self)];
        if let Some(target) = &self.target {
            grids.extend([cpus(target), offsets(target)]);
        } else {
            let columns = ["name", "AIC", "CPUs", "dies", "title"];
            let mut models = Grid::new("virtual SoCs (--target vm:NAME)", columns);
            for m in &self.models {
                models.row([
                    m.name.clone(),
                    m.aic_generation.to_string(),
                    m.cpus.to_string(),
                    m.dies.to_string(),
                    m.title.clone(),
                ]);
            }
            grids.push(models);
        }
        grids
    }

    fn notes(&self) -> Vec<String> {
        let Some(target) = &self.target else {
            return Vec::new();
        };
        let marks = target.marks.iter();
        let others = marks.filter(|m| m.kind != MarkKind::ModelOnly);
        let said = others.map(|m| format!("{}: {}: {}", m.kind.name(), m.about, m.text));
        said.chain([
            "nothing was run on the target, and nothing written to its controller".to_owned(),
        ])
        .collect()
    }
}

fn facts(info: &Info) -> Grid {
    let mut grid = Grid::new("", ["what", "value", "from"]);
    let mut row = |what: &str, value: String, from: &str| {
        let value = if value.is_empty() {
            "-".to_owned()
        } else {
            value
        };
        grid.row([what, &value, from]);
    };
    let p = &info.program;
    row("aicprobe", p.version.to_owned(), "program");
    row("built for", p.built_for.clone(), "program");
    row("features", p.features.join(" "), "program");
    row(
        "protocol",
        format!("{} (schema {})", p.protocol, p.schema_hash),
        "program",
    );
    let firmware = info.firmware.as_ref().map_or_else(String::new, |f| {
        format!("{} ({} bytes)", f.build_id, f.bytes)
    });
    row("firmware", firmware, "program");
    for s in &info.settings {
        row(&format!("--{}", s.name), s.value.clone(), &s.from);
    }
    let Some(t) = &info.target else {
        return grid;
    };
    row("target", t.name.clone(), "command line");
    let chip = t
        .soc
        .chip_id
        .map_or_else(String::new, |id| format!(" (chip {id:#x})"));
    row("SoC", format!("{}{chip}", t.soc.title()), "device tree");
    row("board", t.soc.board.clone(), "device tree");
    row("model", t.soc.model.clone(), "device tree");
    row("system firmware", t.soc.firmware.clone(), "device tree");
    let a = &t.aic;
    row(
        "AIC",
        format!("v{} at {}", a.generation, a.base),
        "device tree",
    );
    row(
        "lines",
        format!("{} of {} per die", a.nr_irq, a.max_irq),
        "controller",
    );
    row("dies", a.dies.to_string(), "controller");
    row("lines named", a.lines_named.to_string(), "device tree");
    row("loader", t.loader.base.clone(), "loader");
    let link = if t.loader.fast_link {
        "no UART"
    } else {
        "a UART, or a link that needs checksums"
    };
    row("link", link.to_owned(), "loader");
    row("line", t.loader.line.join("; "), "loader");
    grid
}

fn cpus(target: &TargetInfo) -> Grid {
    let columns = [
        "CPU", "ADT id", "MPIDR", "cluster", "core", "boot", "started",
    ];
    let mut grid = Grid::new("CPUs (MPIDR inferred from the device tree)", columns);
    for c in &target.cpus {
        grid.row([
            c.id.to_string(),
            c.adt_id.to_string(),
            c.mpidr.clone(),
            c.cluster.to_string(),
            c.core.letter().to_owned(),
            if c.boot { "boot" } else { "" }.to_owned(),
            if c.started { "yes" } else { "no" }.to_owned(),
        ]);
    }
    grid
}

fn offsets(target: &TargetInfo) -> Grid {
    let mut grid = Grid::new("registers of the AIC", ["register", "offset", "die stride"]);
    for o in &target.aic.offsets {
        let stride = o.die_stride.clone().unwrap_or_else(|| "-".to_owned());
        grid.row([o.register.to_owned(), o.offset.clone(), stride]);
    }
    grid
}
