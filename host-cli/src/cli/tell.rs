//! What is said on standard error: coloured on a terminal, plain elsewhere and with `NO_COLOR`.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

/// Tells a message, and below it what belongs to it (see [`crate::diagnose`]).
pub fn tell(message: &str) {
    say!("{}", styled(message));
}

/// With the styles of a terminal; `say!` takes them away where there is none.
fn styled(message: &str) -> String {
    let label: Style = AnsiColor::Red.on_default().bold();
    let code: Style = Style::new().dimmed();
    let next: Style = AnsiColor::Cyan.on_default();
    let mut out = format!("{label}aicprobe:{label:#} ");
    for (i, line) in message.lines().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        let style = match line {
            _ if line.starts_with("  code: ") => code,
            _ if line.starts_with("  next: ") => next,
            _ => {
                out.push_str(line);
                continue;
            }
        };
        let _ = write!(out, "{style}{line}{style:#}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_it_is_what_was_said() {
        let message = "no such thing: é\n  code: aicprobe::usage\n  next: another";
        let coloured = styled(message);
        assert!(coloured.contains("\u{1b}[1m") && coloured.contains("\u{1b}[36m"));
        let plain = anstream::adapter::strip_str(&coloured).to_string();
        assert_eq!(plain, format!("aicprobe: {message}"));
    }
}
