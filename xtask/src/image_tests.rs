//! Tests of the packing, on linked files made here.
