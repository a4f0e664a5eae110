//! Matrix games: the value of a single simultaneous choice, and an optimal mix for each side.

/// The solution of a matrix game.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// The value for the row side.
    pub value: f64,
    /// The row side's mix.
    pub rows: Vec<f64>,
    /// The column side's mix.
    pub columns: Vec<f64>,
}

/// Numbers closer to 0 than this are rounding errors.
const TINY: f64 = 1e-15;

/// Solves the game in which the row side gets `payoff(row, column)`, by the simplex method. All payoffs are first made
/// positive. Among the column shares `q` with `A q ≤ 1`, those with the largest sum give the column side's mix; the
/// value is one over that sum, and the dual prices of the rows give the row side's mix.
///
/// # Panics
/// If there are no rows or no columns.
pub fn solve(rows: usize, columns: usize, payoff: impl Fn(usize, usize) -> f64) -> Equilibrium {
    assert!(rows > 0 && columns > 0, "each side has a choice");
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let lowest = cells.map(|(row, column)| payoff(row, column)).fold(f64::INFINITY, f64::min);
    let shift = 1.0 - lowest;
    let mut tableau = Tableau::new(rows, columns, |row, column| payoff(row, column) + shift);
    while let Some(column) = tableau.entering() {
        let row = tableau.leaving(column).expect("positive payoffs bound the shares");
        tableau.pivot(row, column);
    }
    let total = tableau.objective();
    Equilibrium {
        value: 1.0 / total - shift,
        rows: mix((0..rows).map(|row| tableau.price(row)), TINY),
        columns: mix((0..columns).map(|column| tableau.share(column)), TINY),
    }
}

/// Normalises shares to probabilities. Shares below `least` count as 0.
pub fn mix(shares: impl IntoIterator<Item = f64>, least: f64) -> Vec<f64> {
    let kept = shares.into_iter().map(|share| if share < least { 0.0 } else { share });
    let mut mix: Vec<f64> = kept.collect();
    let total: f64 = mix.iter().sum();
    for share in &mut mix {
        *share /= total;
    }
    mix
}

/// The simplex tableau: one line per row with its slack variable, and the objective last.
struct Tableau {
    rows: usize,
    columns: usize,
    lines: Vec<Vec<f64>>,
    basis: Vec<usize>,
}

impl Tableau {
    fn new(rows: usize, columns: usize, payoff: impl Fn(usize, usize) -> f64) -> Self {
        let width = columns + rows + 1;
        let mut lines = vec![vec![0.0; width]; rows + 1];
        for (row, line) in lines.iter_mut().take(rows).enumerate() {
            for (column, cell) in line.iter_mut().take(columns).enumerate() {
                *cell = payoff(row, column);
            }
            line[columns + row] = 1.0;
            line[width - 1] = 1.0;
        }
        lines[rows][..columns].fill(-1.0);
        Self { rows, columns, lines, basis: (columns..columns + rows).collect() }
    }

    /// The first column that improves the objective. By Bland's rule, always taking the first one prevents cycles.
    fn entering(&self) -> Option<usize> {
        (0..self.columns + self.rows).find(|&column| self.lines[self.rows][column] < -TINY)
    }

    fn leaving(&self, column: usize) -> Option<usize> {
        let last = self.columns + self.rows;
        let ratio = |row: usize| self.lines[row][last] / self.lines[row][column];
        (0..self.rows).filter(|&row| self.lines[row][column] > TINY).min_by(|&one, &two| {
            ratio(one).total_cmp(&ratio(two)).then(self.basis[one].cmp(&self.basis[two]))
        })
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let by = self.lines[row][column];
        for cell in &mut self.lines[row] {
            *cell /= by;
        }
        let pivot = self.lines[row].clone();
        for (index, line) in self.lines.iter_mut().enumerate() {
            let factor = line[column];
            if index == row || factor == 0.0 {
                continue;
            }
            for (cell, of_pivot) in line.iter_mut().zip(&pivot) {
                *cell -= factor * of_pivot;
            }
            line[column] = 0.0;
        }
        self.basis[row] = column;
    }

    fn objective(&self) -> f64 {
        self.lines[self.rows][self.columns + self.rows]
    }

    fn price(&self, row: usize) -> f64 {
        self.lines[self.rows][self.columns + row]
    }

    fn share(&self, column: usize) -> f64 {
        let line = self.basis.iter().position(|&basic| basic == column);
        line.map_or(0.0, |row| self.lines[row][self.columns + self.rows])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game<const R: usize, const C: usize>(matrix: [[f64; C]; R]) -> Equilibrium {
        let solved = solve(R, C, |row, column| matrix[row][column]);
        // Certify the answer: no row does better against the mix of columns, and no column against the mix of rows.
        for line in matrix {
            let gets: f64 =
                line.iter().zip(&solved.columns).map(|(cell, share)| cell * share).sum();
            assert!(gets <= solved.value + 1e-12, "{solved:?}");
        }
        for column in 0..C {
            let cells = matrix.iter().map(|line| line[column]);
            let gets: f64 = cells.zip(&solved.rows).map(|(cell, share)| cell * share).sum();
            assert!(gets >= solved.value - 1e-12, "{solved:?}");
        }
        solved
    }

    #[test]
    fn rounding_errors_are_dropped_from_a_mix() {
        assert_eq!(mix([TINY / 2.0, -TINY, 0.5, 0.5], TINY), [0.0, 0.0, 0.5, 0.5]);
        assert!(mix([TINY, 1.0], TINY)[0] > 0.0);
    }

    #[test]
    fn matching_pennies_is_even() {
        let solved = game([[1.0, -1.0], [-1.0, 1.0]]);
        assert!(solved.value.abs() < 1e-12);
        assert!(solved.rows.iter().chain(&solved.columns).all(|share| (share - 0.5).abs() < 1e-12));
    }

    #[test]
    fn rock_paper_scissors_is_even() {
        let solved = game([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]);
        assert!(solved.rows.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-15));
    }

    #[test]
    fn a_saddle_point_is_played_purely() {
        let solved = game([[3.0, 5.0], [1.0, 9.0]]);
        assert_eq!(
            (solved.value, solved.rows, solved.columns),
            (3.0, vec![1.0, 0.0], vec![1.0, 0.0])
        );
    }

    #[test]
    fn one_sided_choices_are_plain_maxima_and_minima() {
        assert!((game([[2.0], [7.0], [5.0]]).value - 7.0).abs() < 1e-12);
        assert!((game([[2.0, -7.0, 5.0]]).value + 7.0).abs() < 1e-12);
    }

    #[test]
    fn odd_shapes_and_ties_are_certified() {
        game([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]);
        game([[1.0, 2.0, 3.0, 0.5], [4.0, -1.0, 0.0, 0.5]]);
        game([[-1.0, -1.0, -1.0], [-1.0, -0.5, -1.0]]);
    }
}
