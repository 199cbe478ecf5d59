#![allow(clippy::unwrap_used, clippy::panic)]
use super::*;

const ONE: Place = Place::Device(Device::cpu(0));
const TWO: Place = Place::Device(Device::cpu(1));

/// Allocations at addresses that no process is given, in the table while this lives.
struct Held(Vec<usize>);

impl Held {
    fn at(allocations: &[(usize, usize, Place)]) -> Self {
        for &(start, bytes, place) in allocations {
            // SAFETY: nobody reads there.
            unsafe { remember(NonNull::new(at(start).cast_mut()).unwrap(), bytes, place) };
        }
        Self(allocations.iter().map(|allocation| allocation.0).collect())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut live = write();
        self.0.iter().for_each(|start| _ = live.remove(start));
    }
}

fn at(address: usize) -> *const u8 {
    std::ptr::without_provenance(address)
}

/// The start of what `find` finds, if it finds something.
fn found(address: usize) -> Option<(usize, usize, Place)> {
    find(at(address)).map(|a| (a.start, a.bytes, a.place))
}

fn place(address: usize, bytes: usize) -> std::result::Result<Place, String> {
    let outcomes = [false, true].map(|flagged| locate("test", "input", at(address), bytes, flagged));
    // Said to be device memory or not: what is one is found, what leaves it is refused.
    match (&outcomes[0], &outcomes[1]) {
        (Ok(Place::Host), Err(error)) => assert_eq!(error.code, ErrorCode::InvalidPointer),
        (Ok(place), Ok(flagged)) => assert_eq!(place, flagged),
        (Err(one), Err(two)) => assert_eq!((one.code, &one.detail), (ErrorCode::InvalidPointer, &two.detail)),
        (one, two) => panic!("{one:?} and {two:?}"),
    }
    outcomes[0].clone().map_err(|error| error.detail)
}

#[test]
fn an_allocation_ends_before_its_end() {
    let base = 0xffff_1000_0000_0000;
    let allocation = (base, 100, ONE);
    let _held = Held::at(&[allocation]);
    assert_eq!(
        [base - 1, base, base + 1, base + 99, base + 100, base + 101].map(found),
        [None, Some(allocation), Some(allocation), Some(allocation), None, None]
    );
    for (from, bytes) in [(0, 1), (0, 100), (1, 99), (99, 1), (40, 20)] {
        assert_eq!(place(base + from, bytes), Ok(ONE), "{from} {bytes}");
    }
    for (from, bytes, left) in [(0, 101, 100), (1, 100, 99), (99, 2, 1), (50, 1000, 50)] {
        let error = place(base + from, bytes).unwrap_err();
        assert!(error.contains(&format!("{left} bytes are left of its allocation of 100 bytes on cpu:0")), "{error}");
    }
    // Outside it, up to its first byte and from its end on.
    for (from, bytes) in [(base - 1, 1), (base - 8, 8), (base + 100, 1), (base + 100, 100)] {
        assert_eq!(place(from, bytes), Ok(Place::Host));
    }
    for (from, bytes) in [(base - 1, 2), (base - 8, 9), (base - 8, 108), (base - 8, 1000)] {
        let error = place(from, bytes).unwrap_err();
        assert!(error.contains(&format!("runs into an allocation on cpu:0 at {base:#x}")), "{error}");
    }
}

#[test]
fn neighbours_are_two_allocations() {
    let base = 0xffff_2000_0000_0000;
    let (first, second, third) = ((base, 64, ONE), (base + 64, 32, TWO), (base + 96, 1, Place::Host));
    let _held = Held::at(&[first, second, third]);
    assert_eq!(
        [base + 63, base + 64, base + 95, base + 96, base + 97].map(found),
        [Some(first), Some(second), Some(second), Some(third), None]
    );
    assert_eq!(place(base, 64), Ok(ONE));
    assert_eq!(place(base + 64, 32), Ok(TWO));
    assert_eq!(place(base + 96, 1), Ok(Place::Host));
    for (from, bytes) in [(0, 65), (63, 2), (0, 97), (64, 33), (95, 2), (96, 2)] {
        let error = place(base + from, bytes).unwrap_err();
        assert!(error.contains("bytes are left of its allocation"), "{from} {bytes}: {error}");
    }
}

#[test]
fn only_the_start_of_an_allocation_forgets_it() {
    let base = 0xffff_3000_0000_0000;
    let _held = Held::at(&[(base, 64, ONE), (base + 64, 64, Place::Host)]);
    let forget = |address: usize| forget(NonNull::new(at(address).cast_mut()).unwrap());
    for address in [base - 1, base + 1, base + 63, base + 64, base + 128] {
        assert_eq!(forget(address), None, "{address:#x}");
    }
    let told = |address: usize| unknown(at(address)).detail;
    assert!(told(base + 63).contains("lies 63 bytes into an allocation of cpu:0"), "{}", told(base + 63));
    assert!(told(base + 64).contains("page-locked"), "{}", told(base + 64));
    assert!(told(base + 128).contains("no live allocation"), "{}", told(base + 128));
    assert_eq!(forget(base), Some((Device::cpu(0), 64)));
    assert_eq!(forget(base), None);
    assert_eq!((found(base), found(base + 63)), (None, None));
}

#[test]
fn ranges_end_within_the_address_space() {
    let most = isize::MAX as usize;
    for (address, bytes) in [(usize::MAX, 1), (usize::MAX - 7, 8), (8, usize::MAX - 7), (8, most + 1)] {
        assert_eq!(place(address, bytes).map_err(|error| error.contains("exceeds the address space")), Err(true));
    }
    let empty = 0xffff_4000_0000_0000;
    assert_eq!(place(empty, most.min(usize::MAX - empty)), Ok(Place::Host));
}
