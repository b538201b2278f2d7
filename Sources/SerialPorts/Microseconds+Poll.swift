// Times as the operating system takes them.

import BridgeLink

extension Microseconds {
    /// A time-out of `poll`: milliseconds that are at least as long.
    package var pollTimeout: Int32 { Int32(clamping: self > 0 ? (self - 1) / 1_000 + 1 : 0) }
}
