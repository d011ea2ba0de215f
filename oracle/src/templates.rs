//! Shapes of instructions, so that random words reach every group of the core often.
//!
//! A pattern has one character a bit, bit 31 first: `0` and `1` are fixed, `x` is any bit, `i` any bit of an immediate
//! (all zeros or all ones more often than chance), other letters are fields of 5 bits that name a register: `d`, `t`,
//! `s`, `a` transferred or written, `n`, `m` read, `b` a base address, `o` an index. `l` is any bit of an offset in words
//! that mostly stays near. Encodings: DDI 0487, C4.1.

/// One shape.
pub struct Template {
    /// For reports.
    pub name: &'static str,
    /// See the module's text.
    pub pattern: &'static str,
    /// May stand in a sequence: neither a branch nor a system instruction nor a lone exclusive.
    pub straight: bool,
}

const fn straight(name: &'static str, pattern: &'static str) -> Template {
    Template {
        name,
        pattern,
        straight: true,
    }
}

const fn single(name: &'static str, pattern: &'static str) -> Template {
    Template {
        name,
        pattern,
        straight: false,
    }
}

/// All shapes, equally likely.
#[rustfmt::skip]
pub const TEMPLATES: &[Template] = &[
    straight("PC-relative address",         "xii10000iiiiiiiiiiiiiiiiiiiddddd"),
    straight("add/subtract immediate",      "xxx100010xiiiiiiiiiiiinnnnnddddd"),
    straight("logical immediate",            "xxx1001000iiiiiiiiiiiinnnnnddddd"),
    straight("logical immediate, 64-bit",    "1xx1001001iiiiiiiiiiiinnnnnddddd"),
    single  ("logical immediate, any",       "xxx100100xiiiiiiiiiiiinnnnnddddd"),
    straight("move wide, 64-bit",            "1x0100101xxiiiiiiiiiiiiiiiiddddd"),
    straight("move wide, keep, 64-bit",      "111100101xxiiiiiiiiiiiiiiiiddddd"),
    straight("move wide, 32-bit",            "0x01001010xiiiiiiiiiiiiiiiiddddd"),
    straight("move wide, keep, 32-bit",      "0111001010xiiiiiiiiiiiiiiiiddddd"),
    single  ("move wide, any",               "xxx100101xxiiiiiiiiiiiiiiiiddddd"),
    straight("bit field, 64-bit",            "1x01001101iiiiiiiiiiiinnnnnddddd"),
    straight("bit field insert, 64-bit",     "1011001101iiiiiiiiiiiinnnnnddddd"),
    straight("bit field, 32-bit",            "0x010011000iiiii0iiiiinnnnnddddd"),
    straight("bit field insert, 32-bit",     "00110011000iiiii0iiiiinnnnnddddd"),
    single  ("bit field, any",              "xxx100110xiiiiiiiiiiiinnnnnddddd"),
    straight("extract, 64-bit",             "10010011110mmmmmiiiiiinnnnnddddd"),
    straight("extract, 32-bit",             "00010011100mmmmm0iiiiinnnnnddddd"),
    single  ("immediate, unallocated",      "xxx100xxxxxxxxxxxxxxxxxxxxxxxxxx"),
    straight("logical shifted, 64-bit",      "1xx01010xxxmmmmmiiiiiinnnnnddddd"),
    straight("logical shifted, 32-bit",      "0xx01010xxxmmmmm0iiiiinnnnnddddd"),
    single  ("logical shifted, any",         "xxx01010xxxmmmmmiiiiiinnnnnddddd"),
    straight("add/subtract shifted, 64-bit", "1xx010110x0mmmmmiiiiiinnnnnddddd"),
    straight("add/subtract shifted, 32-bit", "0xx010110x0mmmmm0iiiiinnnnnddddd"),
    straight("add/subtract, ASR",            "1xx01011100mmmmmiiiiiinnnnnddddd"),
    single  ("add/subtract shifted, any",    "xxx01011xx0mmmmmiiiiiinnnnnddddd"),
    straight("add/subtract extended",        "xxx01011001mmmmmxxx0xxnnnnnddddd"),
    single  ("add/subtract extended, any",  "xxx01011xx1mmmmmxxxxxxnnnnnddddd"),
    straight("add/subtract with carry",     "xxx11010000mmmmm000000nnnnnddddd"),
    single  ("flag manipulation",           "xxx11010000mmmmmxxxxxxnnnnnxxxxx"),
    straight("conditional compare",         "xx111010010mmmmmxxxxx0nnnnn0xxxx"),
    single  ("conditional compare, any",    "xxx11010010mmmmmxxxxxxnnnnnxxxxx"),
    straight("conditional select",          "xx011010100mmmmmxxxx0xnnnnnddddd"),
    single  ("conditional select, any",     "xxx11010100mmmmmxxxxxxnnnnnddddd"),
    straight("one source, reverse",          "x1011010110000000000xxnnnnnddddd"),
    straight("one source, count",            "x10110101100000000010xnnnnnddddd"),
    single  ("one source, any",             "xx1110101100000xxxxxxxnnnnnddddd"),
    straight("divide",                      "x0011010110mmmmm00001xnnnnnddddd"),
    straight("variable shift",              "x0011010110mmmmm0010xxnnnnnddddd"),
    straight("CRC32, byte, halfword",        "00011010110mmmmm010x0xnnnnnddddd"),
    straight("CRC32, word",                  "00011010110mmmmm010x10nnnnnddddd"),
    straight("CRC32, doubleword",            "10011010110mmmmm010x11nnnnnddddd"),
    single  ("two sources, any",            "xxx11010110mmmmmxxxxxxnnnnnddddd"),
    straight("multiply-add",                "x0011011000mmmmmxaaaaannnnnddddd"),
    straight("multiply-add long",           "10011011x01mmmmmxaaaaannnnnddddd"),
    straight("multiply high",               "10011011x10mmmmm0aaaaannnnnddddd"),
    single  ("three sources, any",          "xxx11011xxxmmmmmxaaaaannnnnddddd"),
    single  ("register, unallocated",       "xxxx101xxxxxxxxxxxxxxxxxxxxxxxxx"),
    single  ("branch",                      "x00101iiiiiiiiiiiiiiiiiiiiiiiiii"),
    single  ("compare and branch",          "x011010xiiiiiiiiiiiiiiiiiiittttt"),
    single  ("test and branch",             "x011011xxxxxxiiiiiiiiiiiiiittttt"),
    single  ("conditional branch",          "01010100iiiiiiiiiiiiiiiiiiixxxxx"),
    single  ("branch to register",          "110101100xx11111000000nnnnn00000"),
    single  ("branch to register, any",     "1101011xxxxxxxxxxxxxxxxxxxxxxxxx"),
    single  ("exception generation",        "11010100xxxiiiiiiiiiiiiiiiixxxxx"),
    single  ("hint",                        "11010101000000110010xxxxxxx11111"),
    single  ("barrier",                     "11010101000000110011xxxxxxx11111"),
    single  ("MSR immediate",               "1101010100000xxx0100xxxxxxx11111"),
    single  ("system, any",                 "1101010100xxxxxxxxxxxxxxxxxttttt"),
    single  ("load-exclusive",              "xx00100001011111x11111bbbbbttttt"),
    single  ("store-exclusive",             "xx001000000sssssx11111bbbbbttttt"),
    single  ("load-exclusive pair",         "1x00100001111111xaaaaabbbbbttttt"),
    single  ("store-exclusive pair",        "1x001000001sssssxaaaaabbbbbttttt"),
    straight("load-acquire, store-release",  "xx0010001x011111111111bbbbbttttt"),
    single  ("LDLAR, STLLR, any",            "xx0010001x0sssssxaaaaabbbbbttttt"),
    straight("compare and swap",            "xx0010001x1sssssx11111bbbbbttttt"),
    straight("compare and swap pair",       "0x0010000x1ssss0x11111bbbbbtttt0"),
    single  ("exclusive, any",              "xx001000xxxsssssxaaaaabbbbbttttt"),
    straight("atomic",                      "xx111000xx1sssss0xxx00bbbbbttttt"),
    straight("swap",                        "xx111000xx1sssss100000bbbbbttttt"),
    straight("load-acquire RCpc",           "xx11100010111111110000bbbbbttttt"),
    single  ("atomic, any",                 "xx111x00xx1sssssxxxx00bbbbbttttt"),
    single  ("load-acquire RCpc unscaled",  "xx011001xx0iiiiiiiiixxbbbbbttttt"),
    single  ("load with authentication",    "xx111x00xx1iiiiiiiiix1bbbbbttttt"),
    single  ("load literal",                "xx011x00lllllllllllllllllllttttt"),
    straight("pair",                        "x010100xxxiiiiiiiaaaaabbbbbttttt"),
    straight("pair signed",                  "0110100101iiiiiiiaaaaabbbbbttttt"),
    single  ("pair signed, any",             "0110100xx1iiiiiiiaaaaabbbbbttttt"),
    single  ("pair, any",                   "xx101x0xxxiiiiiiiaaaaabbbbbttttt"),
    straight("unsigned offset",             "xx11100100iiiiiiiiiiiibbbbbttttt"),
    straight("unsigned offset load",        "xx1110010xiiiiiiiiiiiibbbbbttttt"),
    straight("unsigned offset signed",       "0x1110011xiiiiiiiiiiiibbbbbttttt"),
    straight("unsigned offset LDRSW, PRFM",  "1x11100110iiiiiiiiiiiibbbbbttttt"),
    single  ("unsigned offset, any",         "xx111001xxiiiiiiiiiiiibbbbbttttt"),
    straight("unscaled",                    "xx111000xx0iiiiiiiii00bbbbbttttt"),
    straight("unprivileged",                "xx111000xx0iiiiiiiii10bbbbbttttt"),
    straight("pre- and post-indexed",       "xx111000xx0iiiiiiiiix1bbbbbttttt"),
    straight("register offset",             "xx111000xx1ooooox1xx10bbbbbttttt"),
    single  ("load/store, any",             "xxx1xx0xxxxxxxxxxxxxxxbbbbbttttt"),
    single  ("load/store, any",             "xxxx1x0xxxxxxxxxxxxxxxbbbbbttttt"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_32_bits_and_whole_register_fields() {
        for template in TEMPLATES {
            let pattern = template.pattern;
            assert_eq!(pattern.len(), 32, "{}", template.name);
            for field in "dtsanmbo".chars() {
                let count = pattern.matches(field).count();
                // A register of an even pair has its lowest bit fixed.
                assert!([0, 4, 5].contains(&count), "{}: {field}", template.name);
            }
        }
    }
}
