// HostTime+Stride: sequences of host times at equal intervals.

import BridgeLink

extension HostTime: Strideable {
    public func distance(to other: HostTime) -> Microseconds { other - self }
    public func advanced(by duration: Microseconds) -> HostTime { self + duration }
}
