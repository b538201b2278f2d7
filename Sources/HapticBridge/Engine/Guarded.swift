// Guarded: a value that many threads use, one at a time.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value behind a mutex of the threads library. On Linux the thread sanitizer does not see that of
/// the module Synchronization, and takes what it guards for unguarded.
final class Guarded<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Lends the value to `body` alone. Not to be called from inside `body`.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Puts another value in its place and returns what was there, so that it is released by the
    /// caller, who does not hold the lock.
    func exchange(_ other: Value) -> Value where Value: Sendable {
        var other = other
        withLock { swap(&$0, &other) }
        return other
    }
}
