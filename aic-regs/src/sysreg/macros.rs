// SPDX-License-Identifier: MIT OR Apache-2.0
//! MRS and MSR by generic encoding: the only place that issues them.

/// Defines the name of a system register and how it is reached.
///
/// Behind `|` stand names that others use for it. In brackets stands who says that the register is there. `r`, `w`, `rw` say
/// what is defined for it; `rw guarded` adds a guarded write stub to the guarded read stub that every readable register
/// has. `described` registers are facts and typed values only: no access is offered and no stub takes room in an image.
/// `variants` gives the fields of SoCs whose register looks different.
macro_rules! system_register {
    (
        $(#[doc = $doc:literal])*
        $name:ident: $value:ty = $text:literal $(| $alias:literal)*
        ($op0:literal, $op1:literal, $crn:literal, $crm:literal, $op2:literal)
        [$source:ident] $access:ident described $(variants { $($soc:literal => $variant:ty),+ $(,)? })?
    ) => {
        $(#[doc = $doc])*
        #[doc = concat!(
            "\n\n", $text, ", S", $op0, "_", $op1, "_C", $crn, "_C", $crm, "_", $op2, ". Source: ", stringify!($source), "."
        )]
        #[allow(non_camel_case_types, reason = "registers keep the name that the field uses")]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl $crate::sysreg::SystemRegister for $name {
            const NAME: &'static str = $text;
            const ALIASES: &'static [&'static str] = &[$($alias),*];
            const ENCODING: $crate::sysreg::Encoding = $crate::sysreg::Encoding::new($op0, $op1, $crn, $crm, $op2);
            const ABOUT: &'static str = concat!($($doc),*).trim_ascii();
            const SOURCE: $crate::facts::Source = $crate::facts::Source::$source;
            const ACCESS: $crate::facts::AccessKind = system_register!(@access $access);
            const VARIANTS: &'static [$crate::facts::Variant] = &[$($(
                $crate::facts::Variant { applies: $soc, fields: <$variant as $crate::facts::Described>::FIELDS },
            )+)?];
            type Value = $value;
        }
    };
    (
        $(#[doc = $doc:literal])*
        $name:ident: $value:ty = $text:literal $(| $alias:literal)*
        ($op0:literal, $op1:literal, $crn:literal, $crm:literal, $op2:literal)
        [$source:ident] $access:ident $($guarded:ident)?
    ) => {
        system_register! {
            $(#[doc = $doc])*
            $name: $value = $text $(| $alias)* ($op0, $op1, $crn, $crm, $op2) [$source] $access described
        }
        system_register! { @$access $name $text $op0 $op1 $crn $crm $op2 }
        $( system_register! { @$guarded $name $text $op0 $op1 $crn $crm $op2 } )?
    };
    (@access r) => {
        $crate::facts::AccessKind::ReadOnly
    };
    (@access w) => {
        $crate::facts::AccessKind::WriteOnly
    };
    (@access rw) => {
        $crate::facts::AccessKind::ReadWrite
    };
    (@rw $($all:tt)*) => {
        system_register! { @r $($all)* }
        system_register! { @w $($all)* }
    };
    (@r $name:ident $text:literal $op0:literal $op1:literal $crn:literal $crm:literal $op2:literal) => {
        #[cfg(all(target_arch = "aarch64", target_os = "none"))]
        $crate::guard::guarded_stub!(
            concat!("__guarded_mrs_", $text),
            concat!("mrs x0, ", generic_name!($op0 $op1 $crn $crm $op2))
        );
        impl $crate::sysreg::Readable for $name {
            #[cfg(all(target_arch = "aarch64", target_os = "none"))]
            #[inline(always)]
            fn raw_read() -> u64 {
                let value: u64;
                // SAFETY: MRS changes nothing but its destination; without `nomem` it keeps its place among
                // memory accesses, which counters need.
                unsafe {
                    core::arch::asm!(
                        concat!("mrs {}, ", generic_name!($op0 $op1 $crn $crm $op2)),
                        out(reg) value,
                        options(nostack, preserves_flags),
                    );
                }
                value
            }

            #[cfg(all(target_arch = "aarch64", target_os = "none"))]
            #[inline]
            fn raw_read_guarded() -> Result<u64, $crate::guard::Trap> {
                unsafe extern "C" {
                    #[link_name = concat!("__guarded_mrs_", $text)]
                    fn stub() -> $crate::guard::Answer;
                }
                // SAFETY: the stub touches only x0 and x1.
                unsafe { stub() }.into_result()
            }
        }
    };
    (@w $name:ident $text:literal $op0:literal $op1:literal $crn:literal $crm:literal $op2:literal) => {
        impl $crate::sysreg::Writable for $name {
            #[cfg(all(target_arch = "aarch64", target_os = "none"))]
            #[inline(always)]
            unsafe fn raw_write(value: u64) {
                // SAFETY: the caller answers for the value; without `nomem` no memory access moves over the write.
                unsafe {
                    core::arch::asm!(
                        concat!("msr ", generic_name!($op0 $op1 $crn $crm $op2), ", {}"),
                        in(reg) value,
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    };
    (@guarded $name:ident $text:literal $op0:literal $op1:literal $crn:literal $crm:literal $op2:literal) => {
        #[cfg(all(target_arch = "aarch64", target_os = "none"))]
        $crate::guard::guarded_stub!(
            concat!("__guarded_msr_", $text),
            concat!("msr ", generic_name!($op0 $op1 $crn $crm $op2), ", x0")
        );
        impl $crate::sysreg::GuardedWritable for $name {
            #[cfg(all(target_arch = "aarch64", target_os = "none"))]
            #[inline]
            unsafe fn raw_write_guarded(value: u64) -> Result<(), $crate::guard::Trap> {
                unsafe extern "C" {
                    #[link_name = concat!("__guarded_msr_", $text)]
                    fn stub(value: u64) -> $crate::guard::Answer;
                }
                // SAFETY: the stub touches only x1 and the register, whose value the caller answers for.
                unsafe { stub(value) }.into_result().map(|_| ())
            }
        }
    };
}

/// The name by which any assembler of the architecture knows the register.
#[cfg(all(target_arch = "aarch64", target_os = "none"))]
macro_rules! generic_name {
    ($op0:literal $op1:literal $crn:literal $crm:literal $op2:literal) => {
        concat!("S", $op0, "_", $op1, "_C", $crn, "_C", $crm, "_", $op2)
    };
}
