// Microseconds+Poll: converts times to the units of the operating system.

import BridgeLink

extension Microseconds {
    /// The time as a timeout of `poll`, rounded up to whole milliseconds.
    package var pollTimeout: Int32 { Int32(clamping: self > 0 ? (self - 1) / 1_000 + 1 : 0) }
}
