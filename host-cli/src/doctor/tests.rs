//! Made-up computers.

use std::fs;
use std::io;
use std::path::Path;

use super::*;

/// A made-up node is a file whose text is mode, owner and group.
fn node(path: &Path) -> io::Result<Node> {
    let text = fs::read_to_string(path)?;
    let words: Vec<&str> = text.split(' ').collect();
    let [mode, uid, gid] = words[..] else {
        let (mode, uid, gid) = (0o644, 0, 0);
        let device = false;
        return Ok(Node {
            device,
            mode,
            uid,
            gid,
        });
    };
    Ok(Node {
        device: true,
        mode: u32::from_str_radix(mode, 8).unwrap(),
        uid: uid.parse().unwrap(),
        gid: gid.parse().unwrap(),
    })
}

/// As the mode bits say.
fn permitted(path: &Path, user: &User) -> bool {
    let Ok(node) = node(path) else {
        return false;
    };
    let bits = if user.uid == node.uid {
        node.mode >> 6
    } else if user.gids.contains(&node.gid) {
        node.mode >> 3
    } else {
        node.mode
    };
    user.uid == 0 || bits & 6 == 6
}

struct Made {
    _folder: tempfile::TempDir,
    host: Host,
}

impl Made {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = Host {
            root: folder.path().canonicalize().unwrap(),
            system: System::Linux,
            user: User {
                name: Some("carol".to_owned()),
                uid: 1000,
                gids: vec![1000],
            },
            node,
            permitted,
            ports: Vec::new(),
        };
        let made = Self {
            _folder: folder,
            host,
        };
        made.put("etc/os-release", "ID=debian\n");
        made.put(
            "etc/group",
            "root:x:0:\ndialout:x:20:alice,bob\nuucp:x:14:\n",
        );
        fs::create_dir_all(made.host.at("etc/udev/rules.d")).unwrap();
        made
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.host.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[cfg(target_os = "linux")]
    fn link(&self, path: &str, to: &str) {
        let path = self.host.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(self.host.at(to), path).unwrap();
    }

    /// The loader's device, with the ports whose interfaces are named.
    #[cfg(target_os = "linux")]
    fn device(&self, interfaces: &[(u8, &str)], node: &str) {
        let at = "sys/devices/pci/usb1/1-4";
        self.put(&format!("{at}/idVendor"), "1209\n");
        self.put(&format!("{at}/idProduct"), "316d\n");
        self.link("sys/bus/usb/devices/1-4", at);
        for (number, name) in interfaces {
            let interface = format!("{at}/1-4:1.{number}");
            self.put(
                &format!("{interface}/bInterfaceNumber"),
                &format!("{number:02}\n"),
            );
            self.link(&format!("sys/class/tty/{name}/device"), &interface);
            self.put(&format!("sys/class/tty/{name}/dev"), "166:0\n");
            if !node.is_empty() {
                self.put(&format!("dev/{name}"), node);
            }
        }
    }

    fn look(&self, wanted: &Wanted) -> Vec<Check> {
        examine(&self.host, wanted)
    }

    fn check(&self, wanted: &Wanted, id: &str) -> Check {
        let all = self.look(wanted);
        let found = all.into_iter().find(|check| check.id == id);
        found.unwrap_or_else(|| panic!("no check {id}"))
    }

    fn states(&self, wanted: &Wanted) -> Vec<(&'static str, State)> {
        let skipped = ["firmware", "toolchain"];
        let all = self.look(wanted).into_iter();
        all.filter(|check| !skipped.contains(&check.id))
            .map(|check| (check.id, check.state))
            .collect()
    }
}

fn rules() -> String {
    crate::link::udev_rules(&crate::link::Access::Seat)
}

fn next(check: &Check) -> String {
    check.next.join("\n")
}

#[test]
fn no_device_is_a_problem_only_for_who_wants_it() {
    let made = Made::new();
    for (wanted, state) in [
        (Wanted::Anything, State::Warning),
        (Wanted::Usb, State::Problem),
    ] {
        let device = made.check(&wanted, "usb-device");
        assert_eq!(device.state, state, "{device:?}");
        for hint in ["before m1n1 starts", "virtual machine", "aicprobe list"] {
            assert!(next(&device).contains(hint), "{hint}: {device:?}");
        }
        assert_eq!(made.check(&wanted, "port").state, state);
        assert_eq!(
            made.check(&wanted, "permission").state,
            State::NotApplicable
        );
    }
    let vm = Wanted::Virtual("vm:t8140".to_owned());
    let states = made.states(&vm);
    assert!(
        states.iter().all(|(_, s)| *s == State::NotApplicable),
        "{states:?}"
    );
}

/// Every set of checks has the same ids: programs look for them.
#[test]
fn ids_are_the_same_whatever_is_wanted() {
    let made = Made::new();
    let ids = |wanted: &Wanted| {
        let all = made.look(wanted).into_iter();
        all.map(|check| check.id).collect::<Vec<_>>()
    };
    let first = ids(&Wanted::Anything);
    for wanted in [
        Wanted::Usb,
        Wanted::Port("/dev/ttyACM0".to_owned()),
        Wanted::Virtual("vm:t8140".to_owned()),
    ] {
        assert_eq!(ids(&wanted), first, "{wanted:?}");
    }
}

/// What is no problem needs nothing to be done; what is one says what.
#[test]
fn every_problem_has_a_next_step() {
    let mut made = Made::new();
    for system in [System::Linux, System::MacOs, System::Windows, System::Other] {
        made.host.system = system;
        for name in [
            "",
            "/dev/ttyACM9",
            "/dev/tty.usbmodem1",
            "COM3",
            "/dev/cu.x",
        ] {
            let wanted = match name {
                "" => Wanted::Usb,
                _ => Wanted::Port(name.to_owned()),
            };
            for check in made.look(&wanted) {
                let needs = matches!(check.state, State::Problem | State::Warning);
                assert_eq!(!check.next.is_empty(), needs, "{check:?}");
                assert!(!check.seen.is_empty(), "{check:?}");
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;

    const BOTH: &[(u8, &str)] = &[(0, "ttyACM0"), (2, "ttyACM1")];
    const OPEN: &str = "660 0 20";

    #[test]
    fn a_computer_that_is_ready() {
        let mut made = Made::new();
        made.device(BOTH, OPEN);
        made.host.user.gids.push(20);
        made.put("etc/udev/rules.d/70-aicprobe.rules", &rules());
        made.put("proc/77/comm", "ModemManager\n");
        let states = made.states(&Wanted::Usb);
        assert!(states.iter().all(|(_, s)| *s == State::Ok), "{states:?}");
        let port = made.check(&Wanted::Usb, "port");
        assert_eq!(
            port.seen,
            "/dev/ttyACM0 (m1n1 proxy), /dev/ttyACM1 (m1n1 second port)"
        );
        let permission = made.check(&Wanted::Usb, "permission");
        assert_eq!(
            permission.seen,
            "/dev/ttyACM0: mode 0660, group dialout; you may open it"
        );
        let named = Wanted::Port("/dev/ttyACM0".to_owned());
        assert_eq!(made.check(&named, "port").state, State::Ok);
    }

    #[test]
    fn the_device_without_ports_lacks_its_driver() {
        let made = Made::new();
        made.device(&[], "");
        let port = made.check(&Wanted::Anything, "port");
        assert_eq!(port.state, State::Problem);
        assert!(next(&port).contains("modprobe cdc_acm"), "{port:?}");
        // Only the second port is there.
        let made = Made::new();
        made.device(&[(2, "ttyACM1")], OPEN);
        let port = made.check(&Wanted::Anything, "port");
        assert_eq!(port.state, State::Problem);
        assert!(port.seen.contains("no port with interface 0"), "{port:?}");
        // The kernel has it, /dev has not.
        let made = Made::new();
        made.device(BOTH, "");
        let port = made.check(&Wanted::Anything, "port");
        assert_eq!(port.state, State::Problem);
        assert!(port.seen.contains("no such node"), "{port:?}");
    }

    #[test]
    fn the_way_into_a_group_is_the_distributions() {
        for (release, command) in [
            ("ID=debian\n", "sudo usermod -aG dialout $USER"),
            (
                "ID=postmarketos\nID_LIKE=\"alpine\"\n",
                "doas adduser $USER dialout",
            ),
            ("ID=nixos\n", "extraGroups = [ \"dialout\" ]"),
        ] {
            let made = Made::new();
            made.device(BOTH, OPEN);
            made.put("etc/os-release", release);
            let found = made.check(&Wanted::Anything, "permission");
            assert_eq!(found.state, State::Problem);
            let next = next(&found);
            assert!(next.contains(command), "{next}");
            assert!(next.contains("log out and in again"), "{next}");
        }
        // The group is the node's own, whatever the distribution.
        let made = Made::new();
        made.device(BOTH, "660 0 14");
        let found = made.check(&Wanted::Anything, "permission");
        assert!(next(&found).contains("usermod -aG uucp"), "{found:?}");
        // A group that only the image knows is copied first.
        let made = Made::new();
        made.device(BOTH, OPEN);
        made.put("etc/group", "root:x:0:\n");
        made.put("usr/lib/group", "dialout:x:20:\n");
        let found = made.check(&Wanted::Anything, "permission");
        assert!(found.next[0].contains("tee -a /etc/group"), "{found:?}");
        assert!(found.next[1].contains("usermod"), "{found:?}");
    }

    #[test]
    fn a_new_member_logs_in_again_and_who_cannot_be_one_gets_a_rule() {
        let mut made = Made::new();
        made.device(BOTH, OPEN);
        made.host.user.name = Some("bob".to_owned());
        let found = made.check(&Wanted::Anything, "permission");
        assert_eq!(found.state, State::Problem);
        assert_eq!(found.next.len(), 1);
        assert!(found.next[0].starts_with("you are a member of dialout since"));
        for mode in ["600 0 20", "620 0 20", "660 0 0", "660 0 999"] {
            let made = Made::new();
            made.device(BOTH, mode);
            let found = made.check(&Wanted::Anything, "permission");
            assert_eq!(found.state, State::Problem, "{mode}");
            let next = next(&found);
            assert!(
                next.contains("aicprobe udev") && !next.contains("usermod"),
                "{next}"
            );
        }
    }

    #[test]
    fn who_has_it_open_is_named() {
        let made = Made::new();
        made.device(BOTH, "666 0 20");
        made.put("proc/42/comm", "picocom\n");
        made.link("proc/42/fd/3", "dev/ttyACM0");
        let found = made.check(&Wanted::Anything, "busy");
        assert_eq!(found.state, State::Problem);
        assert_eq!(found.seen, "/dev/ttyACM0 is open in picocom (pid 42)");
        assert_eq!(found.next, ["end picocom: kill 42"]);
        // The second port is nobody's concern.
        let made = Made::new();
        made.device(BOTH, "666 0 20");
        made.link("proc/42/fd/3", "dev/ttyACM1");
        assert_eq!(made.check(&Wanted::Anything, "busy").state, State::Ok);
    }

    #[test]
    fn modem_manager_is_kept_away_by_a_rule_that_was_obeyed() {
        let made = Made::new();
        made.device(BOTH, OPEN);
        let state = || made.check(&Wanted::Anything, "modem-manager").state;
        assert_eq!(state(), State::Ok, "it does not run");
        made.put("proc/77/comm", "ModemManager\n");
        assert_eq!(state(), State::Warning);
        made.put(
            "usr/lib/udev/rules.d/80-m1n1.rules",
            "# ID_MM_DEVICE_IGNORE\nATTRS{idVendor}==\"1209\", ATTRS{idProduct}==\"316d\"\n",
        );
        assert_eq!(made.check(&Wanted::Anything, "udev-rule").state, State::Ok);
        assert_eq!(state(), State::Warning, "a comment is no rule");
        made.put("etc/udev/rules.d/70-aicprobe.rules", &rules());
        assert_eq!(state(), State::Ok);
        // The rule is new, and the port is older than it.
        made.put("run/udev/data/c166:0", "E:ID_BUS=usb\n");
        assert_eq!(state(), State::Warning);
        made.put("run/udev/data/c166:0", "E:ID_MM_DEVICE_IGNORE=1\n");
        assert_eq!(state(), State::Ok);
    }

    #[test]
    fn an_empty_file_hides_a_rule() {
        let made = Made::new();
        made.put("usr/lib/udev/rules.d/70-aicprobe.rules", &rules());
        let state = || made.check(&Wanted::Anything, "udev-rule").state;
        assert_eq!(state(), State::Ok);
        made.put("etc/udev/rules.d/70-aicprobe.rules", "");
        assert_eq!(state(), State::Warning);
    }
}

#[test]
fn guests_are_told_by_what_their_firmware_and_processor_say() {
    for (path, text, name) in [
        ("sys/class/dmi/id/sys_vendor", "VMware, Inc.\n", "VMware"),
        (
            "sys/class/dmi/id/product_name",
            "VirtualBox\n",
            "VirtualBox",
        ),
        (
            "sys/class/dmi/id/product_name",
            "Virtual Machine\n",
            "Hyper-V",
        ),
        ("sys/hypervisor/type", "xen\n", "xen"),
        (
            "proc/device-tree/hypervisor/compatible",
            "linux,kvm\0",
            "linux,kvm",
        ),
        (
            "proc/cpuinfo",
            "flags\t\t: fpu hypervisor nx\n",
            "by the processor's flag",
        ),
        (
            "proc/sys/kernel/osrelease",
            "5.15-microsoft-standard-WSL2\n",
            "usbipd",
        ),
    ] {
        let made = Made::new();
        made.put(path, text);
        let found = made.check(&Wanted::Anything, "machine");
        assert_eq!(found.state, State::Warning, "{path}");
        assert!(found.seen.contains(name), "{found:?}");
        assert!(next(&found).contains("pass USB device 1209:316d through"));
    }
    let made = Made::new();
    made.put("sys/class/dmi/id/sys_vendor", "LENOVO\n");
    made.put("proc/cpuinfo", "flags: fpu nx\nmodel name: a hypervisor\n");
    assert_eq!(made.check(&Wanted::Anything, "machine").state, State::Ok);
    made.put(".dockerenv", "");
    let found = made.check(&Wanted::Anything, "machine");
    assert!(found.seen.contains("Docker") && next(&found).contains("--device"));
}

#[test]
fn names_of_other_systems() {
    let mut made = Made::new();
    for (system, name, state, hint) in [
        (
            System::MacOs,
            "/dev/tty.usbmodemP_01",
            State::Problem,
            "--target /dev/cu.usbmodemP_01",
        ),
        (System::MacOs, "/dev/cu.usbmodemP_01", State::Ok, ""),
        (System::MacOs, "COM3", State::Problem, "aicprobe list"),
        (System::Windows, "com12", State::Ok, ""),
        (System::Windows, "/dev/ttyACM0", State::Problem, "COM3"),
        (System::Linux, "COM3", State::Problem, "aicprobe list"),
        (
            System::Linux,
            "/dev/cu.usbmodemP_01",
            State::Problem,
            "aicprobe list",
        ),
        (System::Linux, "/dev/m1n1", State::Ok, ""),
    ] {
        made.host.system = system;
        let found = made.check(&Wanted::Port(name.to_owned()), "names");
        assert_eq!(found.state, state, "{system:?} {name}: {found:?}");
        assert!(next(&found).contains(hint), "{found:?}");
    }
}
