//! Each fault alone, on a link that gives back what it is sent.

use super::*;

/// Gives back what it is sent; the clock runs only while it waits.
#[derive(Default)]
struct Echo {
    bytes: VecDeque<u8>,
    clock: Duration,
}

impl Link for Echo {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        self.bytes.extend(bytes);
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        let n = self.bytes.len().min(buf.len());
        for (to, from) in buf.iter_mut().zip(self.bytes.drain(..n)) {
            *to = from;
        }
        if n == 0 {
            self.clock += timeout;
        }
        Ok(n)
    }

    fn now(&self) -> Duration {
        self.clock
    }
}

/// 100 pieces there and back; what came, and the link.
fn play(spec: &str) -> (Vec<u8>, FaultyLink<Echo>) {
    let mut link = FaultyLink::new(Echo::default(), spec.parse().unwrap());
    let mut came = Vec::new();
    let mut buf = [0; 4096];
    for i in 0..100u8 {
        if link.send(&[i; 40]).is_err() {
            break;
        }
        while let Ok(n @ 1..) = link.recv(&mut buf, Duration::from_secs(1)) {
            came.extend(&buf[..n]);
        }
    }
    (came, link)
}

fn clean() -> Vec<u8> {
    (0..100).flat_map(|i| [i; 40]).collect()
}

#[test]
fn no_rate_no_fault() {
    let (came, link) = play("seed=3");
    assert_eq!(came, clean());
    assert_eq!((link.counts().faults(), link.counts().pieces), (0, 200));
}

#[test]
fn each_fault_does_what_it_says() {
    let (came, link) = play("drop=0.1,seed=3");
    let n = link.counts().dropped as usize;
    assert!((5..50).contains(&n), "{n}");
    assert_eq!(came.len(), 4000 - n * 40);

    let (came, link) = play("duplicate=0.1");
    assert!(link.counts().duplicated > 5);
    let mut once = came.clone();
    assert!(came.len() > 4000 && came.len() <= 4000 + 80 * 40);
    once.dedup();
    assert_eq!(once, (0..100).collect::<Vec<u8>>(), "the order is kept");

    let (came, link) = play("corrupt=0.1");
    let bits: u32 = came
        .iter()
        .zip(clean())
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    assert_eq!(came.len(), 4000);
    assert_eq!(u64::from(bits), link.counts().corrupted);
    assert!(bits > 5);

    let (came, link) = play("truncate=0.1");
    assert!(link.counts().truncated > 5 && came.len() < 4000);

    let (came, link) = play("delay=0.2,delay_ms=50");
    assert_eq!(came, clean(), "late, but all of it and in order");
    assert!(link.counts().delayed > 20);

    let (came, link) = play("text=0.2");
    let texts = link.counts().texts;
    assert!(texts > 5 && came.len() > 4000);

    let (came, mut link) = play("disconnect=0.02");
    assert!(link.is_cut() && came.len() < 4000);
    assert!(matches!(link.send(&[1]), Err(LinkError::Closed(_))));
    let got = link.recv(&mut [0; 8], Duration::from_secs(1));
    assert!(matches!(got, Err(LinkError::Closed(_))));
}

#[test]
fn a_delayed_piece_is_not_there_before_its_time() {
    let mut link = FaultyLink::new(Echo::default(), "delay=1,delay_ms=50".parse().unwrap());
    link.send(&[7; 4]).unwrap();
    let mut buf = [0; 8];
    assert_eq!(link.recv(&mut buf, Duration::ZERO).unwrap(), 0);
    assert_eq!(link.now(), Duration::ZERO);
    assert_eq!(link.recv(&mut buf, Duration::from_millis(200)).unwrap(), 4);
    let now = link.now();
    assert!(
        now > Duration::ZERO && now <= Duration::from_millis(100),
        "{now:?}"
    );
    assert_eq!(link.recv(&mut buf, Duration::from_millis(70)).unwrap(), 0);
    assert_eq!(link.now(), now + Duration::from_millis(70));
}

#[test]
fn the_seed_decides_everything() {
    let spec =
        |seed| format!("drop=0.05,duplicate=0.05,corrupt=0.05,truncate=0.05,text=0.05,seed={seed}");
    assert_eq!(play(&spec(9)).0, play(&spec(9)).0);
    assert_ne!(play(&spec(9)).0, play(&spec(10)).0);
}

#[test]
fn specifications() {
    let text = "drop=0.001,corrupt=0.25,delay=0.5,delay_ms=20,seed=7";
    let spec: FaultSpec = text.parse().unwrap();
    assert_eq!((spec.drop, spec.corrupt, spec.seed), (0.001, 0.25, 7));
    assert_eq!(spec.to_string(), text);
    for (bad, why) in [
        ("", "not of the form"),
        ("drop", "not of the form"),
        ("drop=2", "no rate"),
        ("drop=-0.1", "no rate"),
        ("drop=NaN", "no rate"),
        ("drop=x", "no number"),
        ("lose=0.1", "no such fault"),
        ("seed=-1", "no number"),
        ("delay_ms=0", "out of range"),
    ] {
        let error = bad.parse::<FaultSpec>().unwrap_err().to_string();
        assert!(
            error.contains(why) && error.contains("seed=7"),
            "{bad}: {error}"
        );
    }
}
