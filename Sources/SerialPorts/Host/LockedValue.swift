// LockedValue: a value that several threads use, one at a time.

import POSIX

/// A value that is protected by a mutex of the pthread library. The mutex of the Synchronization
/// module is not used, because the thread sanitizer does not recognize it on Linux and would report
/// the value as unprotected.
package final class LockedValue<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Gives `body` exclusive access to the value. `body` must not call this method again.
    package func withLock<Result, Failure>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Replaces the value and returns the old value, so that the caller can release the old value
    /// without holding the lock.
    package func exchange(_ other: Value) -> Value where Value: Sendable {
        var other = other
        withLock { swap(&$0, &other) }
        return other
    }
}
