//! The boot arguments, revision 3 (third party: loader sources).

use crate::model::LoaderModel;

use super::layout::Layout;

const SIZE: usize = 0x480;
/// Kernel address that stands for `phys_base`; any value does (model only).
const VIRT_BASE: u64 = 0xffff_fe00_0700_4000;
/// A screen as small as a loader accepts (model only).
const SCREEN: u64 = 128;

/// The record, as the loader was handed it, for a device tree of `adt_size` bytes at the place that `layout` says.
pub(crate) fn build(
    layout: &Layout,
    loader: &LoaderModel,
    ram_size: u64,
    adt_size: usize,
) -> Vec<u8> {
    if let Some(byte) = loader.boot_args_overwritten {
        return vec![byte; SIZE];
    }
    let mut args = vec![0; SIZE];
    let mut put =
        |offset: usize, bytes: &[u8]| args[offset..offset + bytes.len()].copy_from_slice(bytes);
    put(0x00, &loader.boot_args_revision.to_le_bytes());
    put(0x02, &2u16.to_le_bytes());
    let words = [
        (0x08, VIRT_BASE),
        (0x10, layout.phys_base),
        (0x18, layout.mem_size),
        (0x20, layout.top_of_kernel_data),
        (0x28, layout.video),
        (0x30, 0),
        (0x38, SCREEN * 4),
        (0x40, SCREEN),
        (0x48, SCREEN),
        (0x50, 32),
        (0x60, layout.adt - layout.phys_base + VIRT_BASE),
        (0x470, 0),
        (0x478, ram_size),
    ];
    for (offset, value) in words {
        put(offset, &value.to_le_bytes());
    }
    put(0x68, &(adt_size as u32).to_le_bytes());
    args
}
