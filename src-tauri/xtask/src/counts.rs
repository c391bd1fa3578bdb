//! How many tests ran, read from what the test programs print.

use std::ops::AddAssign;

/// Tests that passed and failed. One that was ignored did not run, and counts as failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Passed.
    pub(crate) passed: u32,
    /// Failed or ignored.
    pub(crate) failed: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// The sum of all `test result:` lines of libtest in a line of its output: that of the line, or none.
pub(crate) fn of_libtest(line: &str) -> Option<Counts> {
    let (_, result) = line.split_once("test result: ")?;
    let count = |word: &str| {
        let before = result.split(word).next()?;
        before
            .rsplit([' ', ';'])
            .find(|it| !it.is_empty())?
            .parse::<u32>()
            .ok()
    };
    Some(Counts {
        passed: count(" passed")?,
        failed: count(" failed")? + count(" ignored")?,
    })
}

/// The counts of the line that Vitest ends with, such as `      Tests  1 failed | 85 passed (86)`.
pub(crate) fn of_vitest(line: &str) -> Option<Counts> {
    let rest = line.trim().strip_prefix("Tests ")?;
    let rest = rest.split('(').next()?;
    let mut counts = Counts::default();
    for part in rest.split('|') {
        let mut words = part.split_whitespace();
        let number = words.next()?.parse::<u32>().ok()?;
        match words.next()? {
            "passed" => counts.passed += number,
            _ => counts.failed += number,
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn counts(passed: u32, failed: u32) -> Counts {
        Counts { passed, failed }
    }

    #[test]
    fn results_of_libtest_are_read_and_ignored_tests_are_no_passed_ones() {
        let line = "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s";
        assert_eq!(of_libtest(line), Some(counts(12, 0)));
        let line = "test result: FAILED. 1 passed; 2 failed; 3 ignored; 0 measured; 0 filtered out; finished in 1s";
        assert_eq!(of_libtest(line), Some(counts(1, 5)));
        assert_eq!(of_libtest("test a_result_is_read ... ok"), None);
    }

    #[test]
    fn results_of_vitest_are_read() {
        assert_eq!(
            of_vitest("      Tests  86 passed (86)"),
            Some(counts(86, 0))
        );
        assert_eq!(
            of_vitest("      Tests  1 failed | 85 passed | 2 skipped (88)"),
            Some(counts(85, 3))
        );
        assert_eq!(of_vitest(" Test Files  9 passed (9)"), None);
    }
}
