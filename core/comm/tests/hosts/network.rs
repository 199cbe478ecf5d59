//! Hosts of one machine: network namespaces whose links meet at a bridge, and faults of the links.

use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, id};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Names of networks that one process makes.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Hosts, each with one link, `eth0`, to a bridge in a namespace of its own.
pub struct Network {
    name: String,
    pub size: usize,
}

/// Run a program to its end; what it printed.
fn run(line: &str) -> String {
    let mut words = line.split_whitespace();
    let output = Command::new(words.next().unwrap()).args(words).output();
    let output = output.unwrap_or_else(|error| panic!("{line}: {error}; see `cargo xtask soak hosts`"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    text(&output.stdout)
}

impl Network {
    pub fn new(size: usize) -> Self {
        let name = format!("icicle-{}-{}", id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // From here on dropping it takes away what is there.
        let this = Self { name, size };
        let bridge = this.bridge();
        run(&format!("ip netns add {bridge}"));
        run(&format!("ip -n {bridge} link add bridge type bridge forward_delay 0"));
        run(&format!("ip -n {bridge} link set bridge up"));
        for host in 0..size {
            let (space, address) = (this.space(host), this.address(host));
            run(&format!("ip netns add {space}"));
            run(&format!("ip link add eth0 netns {space} type veth peer name host{host} netns {bridge}"));
            run(&format!("ip -n {bridge} link set host{host} master bridge"));
            run(&format!("ip -n {bridge} link set host{host} up"));
            run(&format!("ip -n {space} addr add {address}/24 dev eth0"));
            run(&format!("ip -n {space} link set lo up"));
            run(&format!("ip -n {space} link set eth0 up"));
            this.nft(host, "add table ip faults");
            this.nft(host, "add chain ip faults arriving { type filter hook input priority 0; }");
        }
        this
    }

    fn bridge(&self) -> String {
        format!("{}-bridge", self.name)
    }

    fn space(&self, host: usize) -> String {
        format!("{}-{host}", self.name)
    }

    pub fn address(&self, host: usize) -> IpAddr {
        IpAddr::from(Ipv4Addr::new(10, 77, 0, host as u8 + 1))
    }

    /// A program that runs on a host.
    pub fn command(&self, host: usize, program: &std::path::Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.space(host)]).arg(program);
        command
    }

    fn nft(&self, host: usize, rule: &str) -> String {
        run(&format!("ip netns exec {} nft {rule}", self.space(host)))
    }

    fn tc(&self, host: usize, what: &str) -> String {
        run(&format!("ip netns exec {} tc {what}", self.space(host)))
    }

    /// Cut a host's link, or mend it.
    pub fn link(&self, host: usize, is_up: bool) {
        let state = if is_up { "up" } else { "down" };
        run(&format!("ip -n {} link set eth0 {state}", self.space(host)));
    }

    /// What arrives at each host is lost in so many of a hundred cases.
    pub fn lose(&self, percent: usize) {
        for host in 0..self.size {
            self.nft(host, &format!("add rule ip faults arriving numgen random mod 100 < {percent} counter drop"));
        }
    }

    /// Two hosts do not hear each other.
    pub fn part(&self, one: usize, other: usize) {
        for (host, from) in [(one, other), (other, one)] {
            self.nft(host, &format!("add rule ip faults arriving ip saddr {} counter drop", self.address(from)));
        }
    }

    /// Every packet leaves its host later, by so many milliseconds, of which the second number is random.
    pub fn delay(&self, milliseconds: usize, jitter: usize) {
        for host in 0..self.size {
            self.tc(host, &format!("qdisc add dev eth0 root netem delay {milliseconds}ms {jitter}ms"));
        }
    }

    /// Each host sends at most so many megabits a second; what does not fit the queue is lost.
    pub fn narrow(&self, megabits: usize, queue: &str) {
        for host in 0..self.size {
            let shape = format!("tbf rate {megabits}mbit burst 8kb limit {queue}");
            self.tc(host, &format!("qdisc add dev eth0 root {shape}"));
        }
    }

    /// Packets that were lost by `lose` and `part`.
    pub fn lost(&self) -> usize {
        (0..self.size).map(|host| number_behind(&self.nft(host, "list ruleset"), "packets")).sum()
    }

    /// Packets that queues of `narrow` had no room for.
    pub fn overflown(&self) -> usize {
        (0..self.size).map(|host| number_behind(&self.tc(host, "-s qdisc show dev eth0"), "(dropped")).sum()
    }

    /// No faults any more.
    pub fn mend(&self) {
        for host in 0..self.size {
            self.nft(host, "flush chain ip faults arriving");
            if !self.tc(host, "qdisc show dev eth0").contains("noqueue") {
                self.tc(host, "qdisc del dev eth0 root");
            }
            self.link(host, true);
        }
    }
}

/// The sum of the numbers behind each occurrence of a word.
fn number_behind(text: &str, word: &str) -> usize {
    let behind = text.split(word).skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_digit()).find(|n| !n.is_empty()));
    behind.map(|number| number.and_then(|number| number.parse::<usize>().ok()).unwrap()).sum()
}

impl Drop for Network {
    fn drop(&mut self) {
        // Links go with their namespaces; what a failure left unmade is not there.
        for space in (0..self.size).map(|host| self.space(host)).chain([self.bridge()]) {
            let _ = Command::new("ip").args(["netns", "del", &space]).output();
        }
    }
}
