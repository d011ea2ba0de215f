//! Arithmetic of the byte rings: indices count bytes ever written or taken and never wrap in practice (2^64).

/// Bytes that can be taken; `None` if the indices cannot be: more than `size` apart or the wrong way round.
#[must_use]
pub const fn filled(head: u64, tail: u64, size: u64) -> Option<u64> {
    let n = head.wrapping_sub(tail);
    if n <= size { Some(n) } else { None }
}

/// Bytes that can be written.
#[must_use]
pub const fn room(head: u64, tail: u64, size: u64) -> u64 {
    match filled(head, tail, size) {
        Some(n) => size - n,
        None => 0,
    }
}

/// The one or two pieces, as (offset in the ring, length), that `len` bytes from index `at` occupy in a ring
/// of `size` bytes (a power of two, at least `len`).
#[must_use]
pub const fn pieces(at: u64, len: u64, size: u64) -> [(u64, u64); 2] {
    let offset = at & (size - 1);
    let first = if len < size - offset {
        len
    } else {
        size - offset
    };
    [(offset, first), (0, len - first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_indices_give_nothing() {
        assert_eq!(filled(10, 4, 8), Some(6));
        assert_eq!(filled(13, 4, 8), None);
        assert_eq!(filled(4, 5, 8), None);
        assert_eq!(room(4, 5, 8), 0);
        assert_eq!(room(8, 0, 8), 0);
    }

    #[test]
    fn pieces_wrap_once() {
        assert_eq!(pieces(6, 4, 8), [(6, 2), (0, 2)]);
        assert_eq!(pieces(14, 2, 8), [(6, 2), (0, 0)]);
        assert_eq!(pieces(0, 8, 8), [(0, 8), (0, 0)]);
    }
}
