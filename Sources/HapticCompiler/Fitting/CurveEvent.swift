// CurveEvent: one change of a fitted value.

/// One change of a fitted value: a jump or the start of a ramp.
struct CurveEvent: Equatable {
    var tick: Ticks
    /// The value after the jump, or at the end of the ramp.
    var value: UInt8
    /// The length of the ramp in ticks; 0 for a jump.
    var duration: Ticks
    /// The range of equally acceptable values. Only a jump to a value that is then held has a range
    /// with more than one value.
    var range: ClosedRange<UInt8>

    init(tick: Ticks, value: UInt8, duration: Ticks, range: ClosedRange<UInt8>? = nil) {
        self.tick = tick
        self.value = value
        self.duration = duration
        self.range = range ?? value...value
    }
}
