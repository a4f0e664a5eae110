//! What an account can be called.

use skirmish_play::{NameError, check_name};
use thiserror::Error;

use crate::admin::Who;

/// Why an account cannot have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccountNameError {
    /// No player can have it.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The operator could not tell it from a number or a seat.
    #[error("it looks like the number of an account (#12) or a seat in a game (ABC234/1)")]
    Ambiguous,
}

/// Checks the name of an account and trims it: whoever reads it can tell it from everything else that stands for an account.
pub(crate) fn check_account_name(name: &str) -> Result<String, AccountNameError> {
    let name = check_name(name)?;
    let Ok(who) = name.parse::<Who>();
    match who {
        Who::Name(_) => Ok(name),
        Who::Number(_) | Who::Player(..) => Err(AccountNameError::Ambiguous),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_neither_a_number_nor_a_seat() {
        for name in [" #1", "#007", "ABC234/1", "abc234/2"] {
            assert_eq!(check_account_name(name), Err(AccountNameError::Ambiguous), "{name}");
        }
        for name in ["#", "#one", "ABC234", "ABC234/3", "AB/1", "1", "Ann #2"] {
            assert_eq!(check_account_name(name).as_deref(), Ok(name));
        }
        let unshowable = AccountNameError::Name(NameError::Unshowable);
        assert_eq!(check_account_name("A\u{7}nn"), Err(unshowable));
    }
}
