// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reader and builder of Apple Device Trees (ADT), the flattened tree that iBoot hands to what it boots.
//!
//! The reader ([`Adt`], [`Node`], [`Property`]) is safe on any bytes: [`Adt::new`] checks the whole tree once, nothing
//! panics, nothing recurses, every loop is bounded by the size of the input, and so is the work of a pass over the whole
//! tree: each node costs its own bytes, and each of its addresses a look at [`MAX_RANGES`] entries of the `ranges` above at most. The
//! builder ([`NodeBuilder`], feature `std`) makes trees for models and tests.
//!
//! Sources: the format comes from what m1n1's readers accept (third party), the conventions and hazards from real trees
//! (a Mac mini M2 Pro, a Mac mini M4, templates of older machines).
//!
//! # Example
//!
//! ```
//! # #[cfg(feature = "std")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use adt::{Adt, NodeBuilder};
//!
//! let blob = NodeBuilder::new("device-tree")
//!     .prop_u32("#address-cells", 2)
//!     .prop_u32("#size-cells", 2)
//!     .child(
//!         NodeBuilder::new("arm-io")
//!             .prop_u32("#address-cells", 2)
//!             .prop_u32("#size-cells", 2)
//!             .prop_u64s("ranges", &[0, 0x2_0000_0000, 0x4_0000_0000])
//!             .child(NodeBuilder::new("aic").prop_u64s("reg", &[0x8e10_0000, 0x5_0000])),
//!     )
//!     .build()?;
//! let tree = Adt::new(&blob)?;
//! let reg = tree.node("/arm-io/aic").and_then(|aic| aic.reg(0)).ok_or("no reg")?;
//! assert_eq!((reg.bus, reg.phys), (0x8e10_0000, 0x2_8e10_0000));
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "std"))]
//! # fn main() {}
//! ```
#![no_std]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(all(test, feature = "std"))]
mod bounded;
#[cfg(feature = "std")]
mod builder;
mod bus;
#[cfg(feature = "std")]
mod controllers;
mod error;
mod interrupts;
mod layout;
mod node;
mod property;
mod reg;
mod steps;
mod tree;

#[cfg(feature = "std")]
pub use builder::{BuildError, NodeBuilder};
#[cfg(feature = "std")]
pub use controllers::Controllers;
pub use error::{Error, ErrorKind};
pub use interrupts::{Interrupt, Interrupts};
pub use layout::{
    MAX_CHILDREN, MAX_DEPTH, MAX_NAME, MAX_NODE_NAME, MAX_PROPERTIES, MAX_RANGES, MAX_VALUE,
};
pub use node::{Children, Node, Path};
pub use property::{Properties, Property, Strings, Words};
pub use reg::{Reg, Regs};
pub use tree::{Adt, Nodes};
