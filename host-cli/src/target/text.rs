//! Names out of a device tree, made fit to be shown: anybody can have written them.

use adt::Node;

/// Longest name shown, in characters.
const MAX_NAME: usize = 64;

/// The text with its control characters escaped, and nothing else.
#[must_use]
pub fn without_controls(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// The text without control characters, and not longer than `MAX_NAME` characters.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(MAX_NAME).collect();
    let mut out = without_controls(&head);
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

/// The path of a node, each name made printable.
#[must_use]
pub fn node_path(node: Node<'_>) -> String {
    let mut names: Vec<String> = node.ancestors().map(|n| printable(n.name())).collect();
    // The root's own name is no part of a path.
    names.pop();
    names.reverse();
    if node.depth() > 0 {
        names.push(printable(node.name()));
    }
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use adt::{Adt, NodeBuilder};

    #[test]
    fn names_cannot_play_with_a_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
        let long = printable(&"x".repeat(1000));
        assert_eq!(long.chars().count(), MAX_NAME + 1);
        let leaf = NodeBuilder::new("leaf\u{7}");
        let tree = NodeBuilder::new("device-tree").child(NodeBuilder::new("io").child(leaf));
        let blob = tree.build().unwrap();
        let tree = Adt::new(&blob).unwrap();
        let paths: Vec<String> = tree.nodes().map(node_path).collect();
        assert_eq!(paths, ["/", "/io", "/io/leaf\\u{7}"]);
    }
}
