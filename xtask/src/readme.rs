//! The README's two commands: what it says is what works.

/// The main job, and the tests: the only commands of the README's quick start.
pub const COMMANDS: [&str; 2] = [
    "cargo xtask run -- route --target vm:t8140",
    "cargo xtask test",
];

/// Heading of the section that holds them.
const SECTION: &str = "## Quick start";

/// Checks that the quick start holds exactly [`COMMANDS`].
///
/// # Errors
/// One line that says what it holds instead.
pub fn check(readme: &str) -> Result<(), String> {
    let mut in_section = false;
    let mut in_code = false;
    let mut found = Vec::new();
    for line in readme.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if line.starts_with("## ") && !in_code {
            in_section = line == SECTION;
        } else if in_section && in_code && !line.trim().is_empty() {
            found.push(line);
        }
    }
    if found == COMMANDS {
        return Ok(());
    }
    Err(format!(
        "README.md, section `{SECTION}`: its code must be exactly the lines {COMMANDS:?}, but it is {found:?}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# x\n\n## Quick start\n\n```sh\ncargo xtask run -- route --target vm:t8140\n```\n\ntext\n\n\
                        ```sh\n\ncargo xtask test\n```\n\n## Other\n\n```sh\ncargo xtask ci\n```\n";

    #[test]
    fn the_two_commands_pass() {
        assert_eq!(check(GOOD), Ok(()));
    }

    #[test]
    fn a_changed_missing_or_added_command_is_refused() {
        for bad in [
            GOOD.replace("vm:t8140", "vm:t8132"),
            GOOD.replace("cargo xtask test\n", ""),
            GOOD.replace(
                "cargo xtask test\n",
                "cargo xtask test\napt-get install x\n",
            ),
            GOOD.replace("## Quick start", "## Start"),
            GOOD.replace("```sh", ""),
        ] {
            let error = check(&bad).unwrap_err();
            assert!(error.contains("Quick start"), "{error}");
        }
    }
}
