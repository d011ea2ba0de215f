//! What the user sees on standard error while a plan runs.

use std::collections::VecDeque;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::firmware::Level;
use crate::live::{About, Control, Dashboard, Storm};
use crate::plan::{Plan, Question};
use crate::session::{Event, Observer, Reply};
use crate::target::without_controls;

use super::bar::{Bar, describe};
use super::interrupt;
use super::notices::{self, Shown};
use super::repeats::Repeats;

/// Shortest time between two lines about the same cell.
const PACE: Duration = Duration::from_millis(500);

/// Lines of the loader's console that are kept for a run that fails, and characters of each.
const LAST_LINES: usize = 12;
const LINE_MAX: usize = 200;
/// Bytes of a line after which it ends, whatever comes.
const UNFINISHED_MAX: usize = 4096;

/// Progress and diagnostics: on a terminal as a bar, or as a dashboard where that is asked for; else as lines.
pub struct Progress {
    verbose: bool,
    quiet: bool,
    bar: Option<Bar>,
    board: Option<Dashboard>,
    /// Cells get lines, where there is nothing better.
    lines: bool,
    /// Hertz of the target's counter; 0 if not known.
    counter_hz: u64,
    last_line: Option<Instant>,
    /// The loader's last words that were not shown.
    console: VecDeque<String>,
    /// A line of it that has not ended.
    unfinished: String,
    /// Warnings of the firmware.
    warnings: Repeats,
}

impl Progress {
    /// For a run of `plan`.
    #[must_use]
    pub fn new(verbose: bool, quiet: bool, plan: &Plan) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| Bar::new(plan));
        if !quiet {
            let shown = bar.as_ref().map(|bar| Shown::Bar(bar.shown().clone()));
            notices::set(shown.unwrap_or(Shown::Lines));
        }
        Self {
            verbose,
            quiet,
            bar,
            board: None,
            lines: true,
            counter_hz: 0,
            last_line: None,
            console: VecDeque::new(),
            unfinished: String::new(),
            warnings: Repeats::default(),
        }
    }

    /// Without a line for every cell: thousands of them would tell nobody anything.
    #[must_use]
    pub fn without_cells(mut self) -> Self {
        self.lines = false;
        self
    }

    /// From now on as a dashboard, if there can be one; else a line says why not.
    ///
    /// # Errors
    /// [`Error::Usage`] where nothing may be shown: the parser does not see a `--quiet` before the command.
    pub fn live(&mut self, about: About) -> Result<(), Error> {
        if self.quiet {
            let why = "--live cannot be used with --quiet".to_owned();
            return Err(Error::Usage(why));
        }
        let control = Control {
            stop: interrupt::request,
            stopping: interrupt::requested,
        };
        if let Some(bar) = &self.bar {
            bar.clear();
        }
        match Dashboard::open(about, control) {
            Ok(board) => {
                notices::set(Shown::Dashboard(board.handle().clone()));
                self.bar = None;
                self.board = Some(board);
            }
            Err(why) => self.say(&format!("--live: {why}; progress comes in lines")),
        }
        Ok(())
    }

    /// Whether there is a dashboard.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.board.is_some()
    }

    /// The terminal as it was, and what was said meanwhile.
    fn close_board(&mut self) {
        if let Some(board) = self.board.take() {
            notices::set(Shown::Lines);
            for line in board.close() {
                say!("{line}");
            }
        }
    }

    /// The end of a run. Of one that failed the loader's last words are shown, unless told to be quiet.
    pub fn finish(mut self, failed: bool) {
        if !self.unfinished.is_empty() {
            self.console("\n");
        }
        if let Some(bar) = self.bar.take() {
            bar.clear();
        }
        self.close_board();
        self.tell_repeats();
        if failed {
            for line in std::mem::take(&mut self.console) {
                self.say(&line);
            }
        }
    }

    /// Of warnings that came again and again, how many.
    fn tell_repeats(&mut self) {
        for line in self.warnings.told() {
            self.say(&line);
        }
    }

    /// Text of the loader's console: shown as its lines end, or kept.
    fn console(&mut self, text: &str) {
        self.unfinished.push_str(text);
        if self.unfinished.len() > UNFINISHED_MAX {
            self.unfinished.push('\n');
        }
        while let Some(end) = self.unfinished.find('\n') {
            let line: String = self.unfinished.drain(..=end).collect();
            let Some(line) = console_line(&line) else {
                continue;
            };
            if self.verbose {
                self.say(&line);
            } else {
                if let Some(board) = &self.board {
                    board.handle().log(&line);
                }
                if self.console.len() == LAST_LINES {
                    self.console.pop_front();
                }
                self.console.push_back(line);
            }
        }
    }

    /// A line, unless told to be quiet.
    pub fn say(&self, line: &str) {
        if self.quiet {
            return;
        }
        match (&self.board, &self.bar) {
            (Some(board), _) => board.handle().say(line),
            (None, Some(bar)) => bar.shown().suspend(|| say!("{line}")),
            (None, None) => say!("{line}"),
        }
    }

    /// A line about a cell or a storm, if lines are wanted: seldom, but for one that has to come.
    fn line(&mut self, must: bool, text: impl FnOnce() -> String) {
        if self.is_live() || self.bar.is_some() {
            return;
        }
        if must || self.last_line.is_none_or(|t| t.elapsed() >= PACE) {
            self.last_line = Some(Instant::now());
            self.say(&text());
        }
    }
}

/// A line of the loader's as it may be shown; none if there is nothing in it.
fn console_line(line: &str) -> Option<String> {
    let line = line.trim();
    let shown: String = line.chars().take(LINE_MAX).collect();
    let shown = without_controls(&shown);
    (!line.is_empty()).then(|| format!("loader: {shown}"))
}

impl Observer for Progress {
    fn on(&mut self, event: Event<'_>) {
        if let Some(board) = &self.board {
            board.handle().on(&event);
        }
        if let Some(bar) = &mut self.bar {
            bar.on(&event);
        }
        match event {
            Event::Started { counter_hz, .. } => self.counter_hz = counter_hz,
            Event::Step(step) => self.say(step),
            Event::Console(text) => self.console(text),
            Event::Log { cpu, level, text } => {
                let line = format!("firmware, CPU {cpu}: {text}");
                if self.verbose || level >= Level::Warning && self.warnings.is_new(cpu, &line) {
                    self.say(&line);
                } else if let Some(board) = &self.board {
                    board.handle().log(&line);
                }
            }
            Event::Progress { cell, of, so_far } if self.lines => {
                self.line(false, || describe(cell, of, so_far));
            }
            Event::Done { cell, of, counts } if self.lines => {
                self.line(true, || describe(cell, of, counts));
            }
            Event::Answered {
                at,
                of,
                question: Question::Storm(cell),
                reply: Reply::Storm(result),
            } => {
                let storm = Storm::new(cell, result, self.counter_hz);
                self.line(at + 1 == of, || {
                    format!("storm {} of {of}: {}", at + 1, storm.line())
                });
            }
            // For the dashboard and for other observers.
            _ => {}
        }
    }

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.clear();
            notices::set(Shown::Lines);
        }
        self.close_board();
        self.tell_repeats();
    }
}

#[cfg(test)]
mod console_tests {
    use super::*;

    fn progress() -> Progress {
        Progress::new(false, true, &Plan::of(Vec::new()))
    }

    #[test]
    fn the_loaders_last_words_are_kept_line_by_line() {
        let mut progress = progress();
        for n in 0..20 {
            progress.on(Event::Console("li"));
            progress.on(Event::Console(&format!("ne {n}\r\n\n")));
        }
        let kept: Vec<&str> = progress.console.iter().map(String::as_str).collect();
        assert_eq!(kept.len(), LAST_LINES);
        assert_eq!(kept.first(), Some(&"loader: line 8"));
        assert_eq!(kept.last(), Some(&"loader: line 19"));
    }

    #[test]
    fn nothing_in_them_reaches_the_terminal_as_a_command() {
        assert_eq!(
            console_line("\x1b[2J a\n").as_deref(),
            Some("loader: \\u{1b}[2J a")
        );
        assert_eq!(console_line(" \r\n"), None);
    }
}
