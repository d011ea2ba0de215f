use super::*;
use crate::socs::{self, Class, parse};

const T8140: &str = include_str!("../../../socs/t8140.toml");
const T8132: &str = include_str!("../../../socs/t8132.toml");

/// T8132 as somebody's model has it.
fn model_only() -> Soc {
    let text = T8132.replace("state = \"inference\"", "state = \"model only\"");
    parse("t8132.toml", &text).unwrap()
}

#[test]
fn what_only_a_model_says_is_in_no_table_that_is_compiled() {
    let (t8140, model) = (parse("t8140.toml", T8140).unwrap(), model_only());
    let socs = [&model, &t8140];
    for text in [c(&socs), rust(&socs), dts(&model)] {
        assert!(
            text.contains("only a model says what they do: T8132."),
            "{text}"
        );
        assert!(
            !text.contains("0x8132") && !text.contains("aicprobe,"),
            "{text}"
        );
        assert!(!text.contains("model only"), "{text}");
    }
    assert!(c(&socs).contains("\"T8140\"") && rust(&socs).contains("\"T8140\""));
    let md = markdown(&socs);
    assert!(md.contains(
        "| T8132 | M4 | 3 | 10 | 0 | normal, preferred, fallback, never | no | model only | no |"
    ));
    assert!(md.contains("**Model only: nothing here is a statement about hardware.**"));
    let json = serde_json::to_value(Tables::new(&socs)).unwrap();
    assert_eq!(json["socs"][0]["hardware"], false);
    assert_eq!(json["socs"][1]["hardware"], true);
    assert_eq!(json["socs"][1]["default_acceptor"]["mpidr"], "0x80010100");
}

#[test]
fn the_crate_has_what_the_files_say() {
    use aic_regs::routing::{ROUTING, SocRouting};
    assert_eq!(ROUTING.len(), socs::all().unwrap().len());
    for soc in socs::all().unwrap() {
        let theirs = SocRouting::of_chip(soc.chip_id).unwrap();
        assert_eq!(theirs.soc, soc.soc);
        assert_eq!(theirs.listed, soc.allow_list.listed);
        assert_eq!(theirs.online_refresh, soc.online_refresh);
        assert_eq!(theirs.standing.name(), soc.state.name());
        let accepting = theirs.accepting().map(|cpu| cpu.mpidr);
        let ours = soc
            .cpu
            .iter()
            .filter(|cpu| soc.class_of(cpu) != Class::Never);
        assert!(accepting.eq(ours.map(|cpu| cpu.mpidr.0)), "{}", soc.soc);
    }
}

#[test]
fn no_text_ends_a_comment() {
    let text = T8140.replacen(
        "source = \"PR #228 of",
        "source = \"*/ int x; /* \\\\ of",
        1,
    );
    let soc = parse("t8140.toml", &text).unwrap();
    let made = c(&[&soc]);
    assert!(made.contains("* / int x; / *"), "{made}");
    assert!(!made.contains("*/ int x"), "{made}");
    assert!(dts(&soc).lines().all(|line| !line.ends_with('\\')));
}
