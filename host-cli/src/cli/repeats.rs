//! Lines that come again and again but for their numbers: the first is shown, the others are counted.

/// Kinds of lines that are told apart; further ones are all shown.
const KINDS: usize = 64;

/// What came so far.
#[derive(Debug, Default)]
pub struct Repeats(Vec<Kind>);

#[derive(Debug)]
struct Kind {
    cpu: u8,
    /// The line without its numbers.
    shape: String,
    /// The first of them.
    line: String,
    more: u64,
}

impl Repeats {
    /// Whether to show a line of `cpu`; else it is counted.
    pub fn is_new(&mut self, cpu: u8, line: &str) -> bool {
        let shape = shape(line);
        let same = |kind: &&mut Kind| kind.cpu == cpu && kind.shape == shape;
        if let Some(kind) = self.0.iter_mut().find(same) {
            kind.more += 1;
            return false;
        }
        if self.0.len() < KINDS {
            let line = line.to_owned();
            self.0.push(Kind {
                cpu,
                shape,
                line,
                more: 0,
            });
        }
        true
    }

    /// What was counted, in words, and from now on everything is new again.
    pub fn told(&mut self) -> Vec<String> {
        let kinds = std::mem::take(&mut self.0);
        let again = kinds.into_iter().filter(|kind| kind.more > 0);
        again
            .map(|Kind { line, more, .. }| format!("{line} (and {more} more like it)"))
            .collect()
    }
}

/// A line with each of its numbers as `#`.
fn shape(line: &str) -> String {
    let mut shape = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            c if !c.is_ascii_digit() => shape.push(c),
            _ if shape.ends_with('#') => {}
            _ => shape.push('#'),
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_thousands_of_lines_the_first_and_a_count() {
        let mut repeats = Repeats::default();
        let shown: Vec<u32> = (0..8192)
            .filter(|n| repeats.is_new(0, &format!("firmware, CPU 0: cell {n} refused")))
            .collect();
        assert_eq!(shown, [0]);
        assert!(repeats.is_new(0, "firmware, CPU 0: something else"));
        assert!(repeats.is_new(1, "firmware, CPU 1: cell 9 refused"));
        let told = repeats.told();
        assert_eq!(
            told,
            ["firmware, CPU 0: cell 0 refused (and 8191 more like it)"]
        );
        assert!(repeats.told().is_empty());
    }

    #[test]
    fn kinds_have_a_limit() {
        let mut repeats = Repeats::default();
        for n in 0..2 * KINDS {
            assert!(repeats.is_new(0, &"x".repeat(n + 1)));
        }
        assert!(!repeats.is_new(0, "x"));
        assert!(repeats.is_new(0, &"x".repeat(2 * KINDS)));
    }
}
