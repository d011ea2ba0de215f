//! Where the loader, the device tree and the boot arguments lie in RAM. All model only, in the manner of a real boot.

use crate::model::SocModel;

const MIB: u64 = 1 << 20;
/// Granule of the loader's page tables.
pub(super) const PAGE: u64 = 0x4000;
/// Bytes below `phys_base` and above the end of usable memory that firmware keeps for itself.
const CARVE_OUT: u64 = 16 * MIB;

/// Physical addresses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) phys_base: u64,
    pub(crate) mem_size: u64,
    /// Start of the loader's image: one page of vectors and return stub, then text, then data.
    pub(crate) loader: u64,
    pub(crate) loader_text: u64,
    pub(crate) adt: u64,
    pub(crate) boot_args: u64,
    pub(crate) video: u64,
    /// Where the heap starts.
    pub(crate) top_of_kernel_data: u64,
}

/// Offset of the return stub from the loader's base; the vectors lie at 0.
pub(super) const RETURN_STUB: u64 = 0x1000;
/// Offset of the feature record that GET_CPU_FEATURES points to.
pub(super) const FEATURES: u64 = 0x80000;

impl Layout {
    pub(crate) const fn new(model: &SocModel) -> Self {
        let phys_base = model.ram.base + CARVE_OUT;
        Self {
            phys_base,
            mem_size: model.ram.size - 2 * CARVE_OUT,
            loader: phys_base + 0x8000,
            loader_text: 0x80000,
            adt: phys_base + 2 * MIB,
            boot_args: phys_base + 6 * MIB,
            video: model.ram.base + model.ram.size - CARVE_OUT,
            top_of_kernel_data: phys_base + 8 * MIB,
        }
    }

    pub(super) const fn return_stub(&self) -> u64 {
        self.loader + RETURN_STUB
    }
}
