//! Who reaches which of the commits that no remote has: told for all branches and working trees at once from one list
//! of those commits with their parents.

use std::collections::{HashMap, HashSet};

use crate::listing::hexadecimal;

/// Commits on no remote, with their parents among them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    parents: HashMap<String, Vec<String>>,
    /// For each commit up to two branches that reach it: who asks is one of them at most.
    reached: HashMap<String, Vec<usize>>,
}

impl Graph {
    /// Reads `commit parent…` lines as `git rev-list --parents` prints them; `tips` are the commits of all branches.
    pub(super) fn read<'a>(lines: &[u8], tips: impl Iterator<Item = &'a str>) -> Self {
        let mut graph = Self::default();
        for line in lines.split(|byte| *byte == b'\n') {
            let mut words = line.split(|byte| *byte == b' ').map(hexadecimal);
            let Some(Some(commit)) = words.next() else {
                continue;
            };
            graph.parents.insert(commit, words.flatten().collect());
        }
        for (branch, tip) in tips.enumerate() {
            graph.mark(branch, tip);
        }
        graph
    }

    /// Notes that a branch reaches its tip and what lies below. Each commit is passed twice at most, by the first two
    /// branches that come there: whatever lies below is reached by two as well.
    fn mark(&mut self, branch: usize, tip: &str) {
        let mut todo = vec![tip.to_owned()];
        while let Some(commit) = todo.pop() {
            let Some(parents) = self.parents.get(&commit) else {
                continue;
            };
            let reached = self.reached.entry(commit).or_default();
            if reached.len() < 2 && !reached.contains(&branch) {
                reached.push(branch);
                todo.extend(parents.iter().cloned());
            }
        }
    }

    /// How many commits are reachable from one and on no remote, and how many of them a branch other than `own`, the
    /// position of a tip, reaches as well.
    pub(super) fn count(&self, from: &str, own: Option<usize>) -> (u32, u32) {
        let (mut seen, mut todo) = (HashSet::new(), vec![from]);
        let mut shared = 0;
        while let Some(commit) = todo.pop() {
            let Some((commit, parents)) = self.parents.get_key_value(commit) else {
                continue;
            };
            if !seen.insert(commit.as_str()) {
                continue;
            }
            let others = self.reached.get(commit).into_iter().flatten();
            shared += u32::from(others.into_iter().any(|branch| Some(*branch) != own));
            todo.extend(parents.iter().map(String::as_str));
        }
        (u32::try_from(seen.len()).unwrap_or(u32::MAX), shared)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(n: usize) -> String {
        format!("{n:040x}")
    }

    proptest! {
        /// Against the plainest way to tell: every branch's own walk.
        #[test]
        fn counts_are_those_of_a_walk_for_each_branch(
            edges in prop::collection::vec(prop::collection::vec(0..20_usize, 0..3), 1..20),
            tips in prop::collection::vec(0..22_usize, 0..6),
            from in 0..22_usize,
            own in prop::option::of(0..6_usize),
        ) {
            // Parents are older: commit n names only commits above it. Those from 20 on are on a remote.
            let parents: Vec<Vec<usize>> = edges
                .iter()
                .enumerate()
                .map(|(n, to)| to.iter().map(|it| n + 1 + it).collect())
                .collect();
            let text: String = parents
                .iter()
                .enumerate()
                .map(|(n, to)| {
                    let words: Vec<_> = std::iter::once(n).chain(to.iter().copied()).map(name).collect();
                    words.join(" ") + "\n"
                })
                .collect();
            let names: Vec<_> = tips.iter().map(|tip| name(*tip)).collect();
            let graph = Graph::read(text.as_bytes(), names.iter().map(String::as_str));
            let reach = |start: usize| {
                let (mut seen, mut todo) = (HashSet::new(), vec![start]);
                while let Some(at) = todo.pop() {
                    if at < parents.len() && seen.insert(at) {
                        todo.extend(&parents[at]);
                    }
                }
                seen
            };
            let mine = reach(from);
            let others: HashSet<usize> = tips
                .iter()
                .enumerate()
                .filter(|(at, _)| Some(*at) != own)
                .flat_map(|(_, tip)| reach(*tip))
                .collect();
            let shared = mine.intersection(&others).count();
            let counted = graph.count(&name(from), own);
            prop_assert_eq!(counted, (u32::try_from(mine.len()).unwrap(), u32::try_from(shared).unwrap()));
        }
    }
}
