//! Tasks of the server.

use std::pin::Pin;

use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

/// Spawns a task. Its type is erased, so that all tasks share the code that runs them, and a task does not store its arguments
/// twice.
pub(crate) fn spawn(task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let task: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(task);
    tokio::spawn(task)
}

/// Runs a future to its end. Its type is erased, like that of a task.
pub(crate) fn block_on<T>(runtime: &Runtime, future: impl Future<Output = T>) -> T {
    let mut result = None;
    let task: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async {
        result = Some(future.await);
    });
    runtime.block_on(task);
    result.expect("the task has ended")
}
