//! Log statements: defmt on the target, nothing on a host (which has no logger to link).

/// `log!(info, "…", …)`: a defmt statement of that level.
macro_rules! log {
    ($level:ident, $format:literal $(, $argument:expr)* $(,)?) => {
        #[cfg(target_os = "none")]
        defmt::$level!($format $(, $argument)*);
        #[cfg(not(target_os = "none"))]
        { $( let _ = &$argument; )* }
    };
}
