//! JSON Schemas of the protocol's types in a plan: the protocol is made for the firmware, and knows none.

use schemars::{Schema, SchemaGenerator, json_schema};

/// [`protocol::LineId`].
pub fn line(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A line: die and number.",
        "type": "object",
        "properties": {
            "die": { "type": "integer", "minimum": 0, "maximum": 255 },
            "number": { "type": "integer", "minimum": 0, "maximum": 65535 },
        },
        "required": ["die", "number"],
    })
}

/// [`protocol::command::Special`]: it grows with the protocol, so that its members are not part of the contract.
pub fn special(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "What few cells have.",
        "type": "object",
    })
}
