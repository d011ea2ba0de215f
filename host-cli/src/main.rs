//! The program `aicprobe`.

use std::process::ExitCode;

fn main() -> ExitCode {
    host_cli::cli::main()
}
