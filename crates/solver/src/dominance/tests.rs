//! Tests of matrices with known dominated choices and best mixes.

use super::*;

const EQUAL: f64 = 1e-9;

fn rows<const R: usize, const C: usize>(matrix: [[f64; C]; R]) -> Vec<Dominated> {
    dominated(R, C, EQUAL, |row, column| matrix[row][column])
}

fn columns<const R: usize, const C: usize>(matrix: [[f64; C]; R]) -> Vec<Dominated> {
    dominated(C, R, EQUAL, |column, row| -matrix[row][column])
}

fn unique<const R: usize, const C: usize>(matrix: [[f64; C]; R]) -> (bool, bool) {
    let rows = is_unique(R, C, EQUAL, |row, column| matrix[row][column]);
    (rows, is_unique(C, R, EQUAL, |column, row| -matrix[row][column]))
}

#[test]
fn a_worse_choice_is_strictly_dominated() {
    let matrix = [[1.0, 2.0], [0.0, 1.0]];
    assert_eq!(rows(matrix), [Dominated { choice: 1, strictly: true, by: vec![1.0, 0.0] }]);
    assert_eq!(columns(matrix), [Dominated { choice: 1, strictly: true, by: vec![1.0, 0.0] }]);
}

#[test]
fn a_choice_that_is_sometimes_worse_is_weakly_dominated() {
    let matrix = [[1.0, 0.0], [1.0, -1.0]];
    assert_eq!(rows(matrix), [Dominated { choice: 1, strictly: false, by: vec![1.0, 0.0] }]);
    // A difference within the error does not count.
    assert_eq!(rows([[1.0, 0.0], [1.0, -EQUAL / 2.0]]), []);
    assert_eq!(rows([[1.0, 0.0], [1.0 + EQUAL / 2.0, -1.0]]).len(), 1);
}

#[test]
fn a_mix_dominates_what_no_single_choice_does() {
    let matrix = [[3.0, 0.0], [0.0, 3.0], [1.0, 1.0]];
    let found = rows(matrix);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].choice == 2 && found[0].strictly, "{found:?}");
    assert!((found[0].by[0] - 0.5).abs() < 1e-12 && found[0].by[2] == 0.0, "{found:?}");
    // An even mix of the first two rows equals the third in two columns and is better in the last.
    let matrix = [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 1.0, 0.0]];
    let found = rows(matrix);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].choice == 2 && !found[0].strictly, "{found:?}");
    assert!((found[0].by[0] - 0.5).abs() < 1e-9, "{found:?}");
}

#[test]
fn nothing_is_dominated_where_everything_has_its_use() {
    let pennies = [[1.0, -1.0], [-1.0, 1.0]];
    assert!(rows(pennies).is_empty() && columns(pennies).is_empty());
    let equal = [[1.0, 2.0], [1.0, 2.0]];
    assert!(rows(equal).is_empty(), "a choice does not dominate its equal");
    assert!(rows([[5.0, 6.0]]).is_empty(), "an only choice is not dominated");
}

#[test]
fn best_mixes_are_unique_or_not() {
    assert_eq!(unique([[1.0, -1.0], [-1.0, 1.0]]), (true, true));
    assert_eq!(unique([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]), (true, true));
    assert_eq!(unique([[3.0, 5.0], [1.0, 9.0]]), (true, true), "a saddle point");
    assert_eq!(unique([[0.0, 0.0], [0.0, 0.0]]), (false, false));
    // Player 1 has two equal rows; Player 2 has one best column.
    assert_eq!(unique([[0.0, 1.0], [0.0, 1.0]]), (false, true));
    // Matching pennies with a second tails for Player 2.
    assert_eq!(unique([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]]), (true, false));
    // A third column is exactly as good as Player 2's best mix.
    assert_eq!(unique([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]]), (true, false));
    assert_eq!(unique([[7.0]]), (true, true));
}
