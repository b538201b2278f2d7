// HostTime+Stride: equal steps of the host's time, by which tests go on.

import BridgeLink

extension HostTime: Strideable {
    public func distance(to other: HostTime) -> Microseconds { other - self }
    public func advanced(by duration: Microseconds) -> HostTime { self + duration }
}
