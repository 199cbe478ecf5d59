//! What was made for keys used last.

/// Up to so many values by their keys, of which the one that was not asked for the longest goes first.
pub(crate) struct Recent<K, V, const MOST: usize>(Vec<(K, V)>);

impl<K: PartialEq, V, const MOST: usize> Recent<K, V, MOST> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// The value of a key, which is the last used now.
    pub(crate) fn find(&mut self, key: &K) -> Option<&V> {
        let place = self.0.iter().position(|(known, _)| known == key)?;
        self.0[place..].rotate_left(1);
        self.0.last().map(|(_, value)| value)
    }

    /// Keep the value of a key that has none, and hand out the one that has to go.
    #[must_use]
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let gone = (self.0.len() >= MOST).then(|| self.0.remove(0).1);
        self.0.push((key, value));
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes() {
        let mut kept = Recent::<u8, char, 3>::new();
        for (key, value) in [(1, 'a'), (2, 'b'), (3, 'c')] {
            assert_eq!(kept.find(&key), None);
            assert_eq!(kept.insert(key, value), None);
        }
        assert_eq!(kept.find(&1), Some(&'a'));
        assert_eq!(kept.insert(4, 'd'), Some('b'));
        let found = [2, 3, 1, 4].map(|key| kept.find(&key).copied());
        assert_eq!(found, [None, Some('c'), Some('a'), Some('d')]);
        assert_eq!(kept.insert(5, 'e'), Some('c'));
    }
}
