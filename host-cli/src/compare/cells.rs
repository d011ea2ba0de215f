//! The cells of a run, and the run of them.

use std::collections::BTreeMap;

use crate::result::{Head, MarkKind};

use super::run::{Key, Metric, Run, Sample};

/// Cells as they are found in a result.
#[derive(Default)]
pub struct Cells {
    made: Vec<Sample>,
    seen: BTreeMap<Key, u32>,
}

impl Cells {
    /// Adds a cell; of several with the same key, those behind the first get their number as `repeat`. One in which nothing was fired
    /// says nothing.
    pub fn add(
        &mut self,
        key: Key,
        fired: u64,
        states: Vec<(String, u64)>,
        metrics: Vec<Metric>,
        conditions: &[(&str, String)],
    ) {
        let times = self.seen.entry(key.clone()).or_default();
        *times += 1;
        if fired == 0 {
            return;
        }
        let repeat = if *times > 1 {
            times.to_string()
        } else {
            String::new()
        };
        let conditions = conditions.iter();
        self.made.push(Sample {
            key: key.with("repeat", repeat),
            fired,
            states,
            metrics,
            conditions: conditions
                .map(|(n, v)| ((*n).to_owned(), v.clone()))
                .collect(),
        });
    }

    /// The run that `head` tells of.
    pub fn run(self, schema: &'static str, head: &Head, origin: &str) -> Run {
        let mut marks = head.marks.iter();
        let model = marks.find(|m| m.kind == MarkKind::ModelOnly);
        let board = if head.soc.board.is_empty() {
            String::new()
        } else {
            format!(" {}", head.soc.board)
        };
        Run {
            origin: origin.to_owned(),
            schema,
            target: head.target.clone(),
            seed: head.seed,
            chip: format!("{}{board}", head.soc.name),
            firmware: head.build.firmware.clone(),
            model: model.map(|m| m.text.clone()),
            complete: head.complete,
            restored: head.restored,
            samples: self.made,
            whole: Vec::new(),
        }
    }
}

/// Values with commas between.
pub fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    values.join(",")
}

/// Fields that were asked for, by logical CPU: "1=0,2=3".
pub fn fields(requested: &[Option<u8>]) -> String {
    let set = (0u32..).zip(requested);
    list(set.filter_map(|(cpu, f)| f.map(|f| format!("{cpu}={f}"))))
}
