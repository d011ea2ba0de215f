//! The table of sources in `models/README.md` says what the models say.

use std::path::PathBuf;

use virtual_soc::SocModel;
use virtual_soc::model::SourceKind;

const BEGIN: &str = "<!-- table made by tests/models_readme.rs -->\n";
const END: &str = "<!-- end -->\n";
/// Columns; "cpu" stands for all CPUs.
const KEYS: [&str; 17] = [
    "soc",
    "cpu",
    "aic",
    "aic.nr_irq",
    "aic.config",
    "siq.access",
    "siq.classes",
    "siq.choice",
    "siq.on_masked",
    "siq.timing",
    "ipi",
    "sysregs",
    "pmgr",
    "uart",
    "adt",
    "loader",
    "timing",
];

fn letter(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Silicon => "S",
        SourceKind::ThirdParty => "T",
        SourceKind::Inference => "I",
        SourceKind::ModelOnly => "M",
    }
}

fn table() -> String {
    let mut out = format!("| model | CPUs | {} |\n", KEYS.join(" | "));
    out += &format!("|---|---|{}\n", "---|".repeat(KEYS.len()));
    for name in SocModel::builtin_names() {
        let model = SocModel::builtin(name).expect("built in");
        let sources = model.sources();
        let cells = KEYS.map(|key| {
            let of = |k: &String| k == key || key == "cpu" && k.starts_with("cpu[");
            let marks = sources.iter().filter(|(k, _)| of(k));
            let kinds = marks.map(|(_, s)| s.weakest());
            kinds.max().map_or("-", letter)
        });
        let cpus = model.logical_order().len();
        out += &format!("| {name} | {cpus} | {} |\n", cells.join(" | "));
    }
    out
}

#[test]
fn the_readme_has_the_table_of_the_models() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models/README.md");
    let text = std::fs::read_to_string(&path).expect("models/README.md");
    let (head, rest) = text.split_once(BEGIN).expect("the table's begin");
    let (found, tail) = rest.split_once(END).expect("the table's end");
    if std::env::var_os("BLESS").is_some() {
        let new = format!("{head}{BEGIN}{}{END}{tail}", table());
        std::fs::write(&path, new).expect("written");
        return;
    }
    assert_eq!(found, table(), "BLESS=1 writes the table anew");
}

#[test]
fn every_machine_that_the_readme_names_is_there() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models");
    let text = std::fs::read_to_string(folder.join("README.md")).expect("models/README.md");
    let named: Vec<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.starts_with("odd/") && word.len() > 4)
        .collect();
    for name in &named {
        assert!(folder.join(format!("{name}.toml")).is_file(), "{name}");
    }
    assert!(named.len() > 30, "{named:?}");
}
