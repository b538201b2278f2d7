// From taps to tap events: each by itself, or a row of them under one gain ramp.

internal import AHAP

/// The taps of the stream, on ticks and in wire values.
///
/// An intensity curve over many taps stays a curve where that takes fewer bytes: the taps keep
/// their own intensity, which makes them equal and cheap, and a ramp of the tap gain scales them.
/// A row of taps is decided as a whole, so it is held back until it is complete.
struct TapTrack: Sendable {
    /// The events found so far, in order of time. The caller takes them out.
    var events: [TapEvent] = []

    private let profile: DeviceProfile
    private var row: [RowTap] = []
    private var gain = TapGain.full
    private var rendered: Ticks = 0

    /// Whether rows are held back until they are complete.
    private let holdsRows: Bool

    init(profile: DeviceProfile, holdsRows: Bool = true) {
        self.profile = profile
        self.holdsRows = holdsRows
    }

    /// The tick before which nothing will change any more.
    var horizon: Ticks { row.first?.tick ?? rendered }

    /// Adds a tap; not before the one before it.
    mutating func append(_ tap: VoiceTap) {
        let next = RowTap(tap, sharpness: wireSharpness(of: tap))
        guard next.exact >= 0.5 else { return }  // Reported as silent-tap.
        if let last = row.last, !next.mayFollow(last) || row.count == Self.longestRow { close() }
        row.append(next)
    }

    /// No tap before this time is to come.
    mutating func advance(to time: Microseconds) {
        rendered = StreamTime.nearestTick(to: time)
        if !holdsRows { return close() }
        if let last = row.last, rendered - last.tick > RowTap.longestGap { close() }
    }

    /// Ends the row of taps, and decides how to write it.
    mutating func close() {
        defer { row.removeAll(keepingCapacity: true) }
        var plain: [TapEvent] =
            gain == TapGain.full || row.isEmpty
            ? [] : [TapEvent(TapGain.jump(to: TapGain.full, at: row[0].tick))]
        plain += row.map(\.plain)
        guard row.count >= Self.shortestRow, row.contains(where: \.isScaled),
            let curve = TapGain.curve(through: row, from: gain)
        else { return write(plain, endingAt: TapGain.full) }
        let underCurve = merged(curve)
        // The next row may have to undo the gain.
        let cost = EventStreamEncoder.encode(underCurve.map(\.event)).count + TapGain.jumpCost
        if cost < EventStreamEncoder.encode(plain.map(\.event)).count {
            write(underCurve, endingAt: curve.last?.value ?? gain)
        } else {
            write(plain, endingAt: TapGain.full)
        }
    }

    private mutating func write(_ more: [TapEvent], endingAt gain: UInt8) {
        guard !more.isEmpty else { return }
        events += more
        self.gain = gain
    }

    /// The row's taps in their own intensity, with the gain's changes before those of their tick.
    private func merged(_ curve: [CurveEvent]) -> [TapEvent] {
        var events: [TapEvent] = []
        var next = curve.startIndex
        for tap in row {
            while next < curve.endIndex, curve[next].tick <= tap.tick {
                events.append(TapEvent(TapGain.event(curve[next])))
                next += 1
            }
            events.append(tap.underGain)
        }
        return events
    }

    private func wireSharpness(of tap: VoiceTap) -> Double {
        profile.keepsTapSharpness ? tap.sharpness.onWireScale : Self.neutralSharpness
    }

    /// What a tap is sent with where its sharpness cannot be felt.
    private static let neutralSharpness = 128.0
    private static let shortestRow = 4
    private static let longestRow = 4_096
}

/// A tap in wire values, as part of a row.
struct RowTap: Sendable {
    var tick: Ticks
    /// The intensity to be felt, not rounded.
    var exact: Double
    /// The event's own intensity.
    var base: UInt8
    /// Not rounded either.
    var sharpness: Double
    private var voice: Int

    init(_ tap: VoiceTap, sharpness: Double) {
        tick = StreamTime.nearestTick(to: tap.time)
        exact = tap.intensity.onWireScale
        base = tap.base.onWireScale.nearestWireValue
        self.sharpness = sharpness
        voice = tap.voice
    }

    /// Whether a control makes it differ from the event's own intensity.
    var isScaled: Bool { exact.nearestWireValue != base }

    /// Whether both can stand under one gain: of one voice, and near each other.
    func mayFollow(_ other: RowTap) -> Bool {
        voice == other.voice && tick - other.tick <= Self.longestGap
    }

    /// The tap in the intensity that is to be felt.
    var plain: TapEvent {
        event(WantedValue(exact.nearestWireValue, HeldValues.level.range(for: exact)))
    }

    /// The tap in its own intensity, which a gain scales.
    var underGain: TapEvent { event(WantedValue(base)) }

    private func event(_ intensity: WantedValue) -> TapEvent {
        // Another sharpness ends the tap some microseconds earlier or later. Where that end falls
        // just before the next event, this one waits until the bus has carried it.
        let value = WantedValue(
            sharpness.nearestWireValue, HeldValues.sharpness.range(for: sharpness))
        return TapEvent(
            tick: tick, content: .tap(intensity: intensity.preferred, sharpness: value.preferred),
            wanted: .tap(intensity: intensity, sharpness: value))
    }

    /// How far apart the taps of a row may be: one second.
    static let longestGap = StreamTime.nearestTick(to: 1_000_000)
}

/// A tap or a change of the gain: as it is by itself, and the choice that its writer has.
struct TapEvent: Sendable {
    var tick: Ticks
    var content: StreamEvent.Content
    var wanted: WantedEvent

    init(tick: Ticks, content: StreamEvent.Content, wanted: WantedEvent) {
        self.tick = tick
        self.content = content
        self.wanted = wanted
    }

    init(_ event: StreamEvent) {
        self.init(tick: event.tick, content: event.content, wanted: .exact(event.content))
    }

    var event: StreamEvent { StreamEvent(content, at: tick) }
}
