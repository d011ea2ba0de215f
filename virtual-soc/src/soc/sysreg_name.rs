//! Generic names of implementation-defined registers.

use crate::cpu::SysReg;

/// `S3_5_C15_C5_0` as a register of the implementation-defined space; `None` if the text is not such a name.
#[must_use]
pub fn parse_sysreg(name: &str) -> Option<SysReg> {
    let mut parts = name.strip_prefix('S')?.split('_');
    let mut number = |prefix: &str, limit: u8| -> Option<u8> {
        let value: u8 = parts.next()?.strip_prefix(prefix)?.parse().ok()?;
        (value <= limit).then_some(value)
    };
    let (op0, op1, crn, crm, op2) = (
        number("", 3)?,
        number("", 7)?,
        number("C", 15)?,
        number("C", 15)?,
        number("", 7)?,
    );
    let reg = SysReg::new(op0, op1, crn, crm, op2);
    (parts.next().is_none() && reg.is_implementation_defined()).then_some(reg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_packed_form() {
        // SIQ_CFG: the instruction field of MSR S3_4_C15_C10_4 is 0xe7d4.
        assert_eq!(parse_sysreg("S3_4_C15_C10_4"), Some(SysReg(0xe7d4)));
        for bad in [
            "",
            "S3_4_C15_C10",
            "S3_4_C15_C10_4_0",
            "S3_8_C15_C10_4",
            "S3_4_C1_C1_7",
            "MPIDR_EL1",
        ] {
            assert_eq!(parse_sysreg(bad), None, "{bad}");
        }
    }
}
