//! The group of a node, and how a user of this distribution gets into it.

use super::host::{Host, Node};

const GROUP_READ_WRITE: u32 = 0o060;

/// Name of a group, or its number.
pub fn name(host: &Host, gid: u32) -> String {
    entry(host, gid).map_or_else(|| format!("gid {gid}"), |(name, _)| name)
}

/// Name and members of a group.
fn entry(host: &Host, gid: u32) -> Option<(String, Vec<String>)> {
    // Image-based systems keep their own groups apart.
    ["etc/group", "usr/lib/group"].iter().find_map(|file| {
        host.text(file)?.lines().find_map(|line| {
            let mut parts = line.split(':');
            let (name, id) = (parts.next()?, parts.nth(1)?);
            let members = parts.next().unwrap_or_default().split(',');
            let members = members.filter(|m| !m.is_empty()).map(str::to_owned);
            (id.parse() == Ok(gid)).then(|| (name.to_owned(), members.collect()))
        })
    })
}

/// What a user does who may not open a node.
pub fn advice(host: &Host, node: &Node) -> Vec<String> {
    let rule = "give the person at this computer access: aicprobe udev > 70-aicprobe.rules, and follow what it says".to_owned();
    let again = "log out and in again: groups are given at login (a new terminal is not enough)";
    let Some((group, members)) = entry(host, node.gid) else {
        return vec![rule];
    };
    if node.gid == 0 || node.mode & GROUP_READ_WRITE != GROUP_READ_WRITE {
        return vec![rule];
    }
    let listed = host
        .user
        .name
        .as_ref()
        .is_some_and(|name| members.contains(name));
    if listed && !host.user.gids.contains(&node.gid) {
        return vec![format!(
            "you are a member of {group} since you logged in: {again}"
        )];
    }
    let mut steps = join(host, &group);
    steps.push(again.to_owned());
    steps.push(format!("or {rule}"));
    steps
}

/// The commands of this distribution.
fn join(host: &Host, group: &str) -> Vec<String> {
    if host.is_like("nixos") {
        return vec![format!(
            "in configuration.nix: users.users.<name>.extraGroups = [ \"{group}\" ]; then sudo nixos-rebuild switch"
        )];
    }
    if host.is_like("alpine") {
        return vec![format!("doas adduser $USER {group}")];
    }
    let mut steps = Vec::new();
    let listed = host.text("etc/group").is_some_and(|text| {
        text.lines()
            .any(|line| line.split(':').next() == Some(group))
    });
    if !listed {
        // usermod changes /etc/group alone, and the group is not in it.
        steps.push(format!(
            "grep '^{group}:' /usr/lib/group | sudo tee -a /etc/group"
        ));
    }
    steps.push(format!("sudo usermod -aG {group} $USER"));
    steps
}
