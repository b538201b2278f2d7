// The parameters and curves that an app has sent to a player, converted from engine time to pattern
// time.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The parameters and curves that were sent to a player. A control that has taken effect is fixed
/// in pattern time; a control that has not yet taken effect is fixed in engine time.
///
/// An app can send thousands of parameters many times a second, and each change is processed while
/// other apps play. Therefore, a parameter requires no separate memory allocation.
struct PlayerControls: Sendable {
    /// A parameter or a curve that has begun and that no other control has replaced.
    fileprivate struct Current: Sendable {
        let id: DynamicParameterID
        /// The first and the last of the control points that the player has passed.
        var passed: [Corner] = []
        /// The control points that the player has not reached.
        var ahead: [ComingCorner]
    }

    /// A passed control point, with its engine time and its pattern time.
    fileprivate struct Corner: Sendable {
        var engine: HostTime
        var pattern: Microseconds
        var value: Double
    }

    /// A parameter or a curve that has not begun.
    fileprivate struct Coming: Sendable {
        let id: DynamicParameterID
        let first: ComingCorner
        /// The control points after the first; empty for a parameter.
        var rest: [ComingCorner] = []
    }

    /// A control point that the player has not reached, at an engine time.
    fileprivate struct ComingCorner: Sendable {
        var time: HostTime
        var value: Double
    }

    /// The controls in effect, at most one for each id.
    private var current: [Current] = []
    /// The controls that have not begun, sorted by time; controls with equal times are in the order
    /// in which they were sent.
    private var coming: [Coming] = []

    /// True if no controls were sent.
    var isEmpty: Bool { current.isEmpty && coming.isEmpty }

    /// True if any of the controls changes the durations of events.
    var changeDurations: Bool {
        current.contains { $0.id.changesDurations } || coming.contains { $0.id.changesDurations }
    }

    /// The number of values and control points that have not taken effect.
    var waiting: Int {
        coming.reduce(current.reduce(0) { $0 + $1.ahead.count }) { $0 + 1 + $1.rest.count }
    }

    /// Adds parameters. Each parameter takes effect at its own time after `time`, in engine time.
    mutating func send(_ parameters: [HapticDynamicParameter], at time: HostTime) {
        add(
            [HapticDynamicParameter]().replaced(by: parameters)
                .map {
                    Coming(id: $0.id, first: .init(time: time + $0.time, value: $0.value))
                }.sorted { $0.first.time < $1.first.time })
    }

    /// Adds a curve that starts at an engine time.
    mutating func schedule(_ curve: HapticParameterCurve, at time: HostTime) {
        let corners = curve.points.map {
            ComingCorner(time: time + $0.time, value: $0.value)
        }
        guard let first = corners.first else { return }
        add([Coming(id: curve.id, first: first, rest: Array(corners.dropFirst()))])
    }

    /// Removes the controls that begin after an engine time.
    mutating func cancel(after time: HostTime) {
        coming.removeAll { $0.first.time > time }
    }

    /// Adds controls in ascending order of time. Each control replaces a parameter with the same id
    /// and time.
    private mutating func add(_ new: [Coming]) {
        var next = 0
        var merged: [Coming] = []
        merged.reserveCapacity(coming.count + new.count)
        for control in coming {
            while next < new.count, new[next].first.time < control.first.time {
                merged.append(new[next])
                next += 1
            }
            if !control.isReplaced(by: new[next...]) { merged.append(control) }
        }
        coming = merged + new[next...]
    }

    /// Applies these controls to a voice, beginning at the current position of the voice.
    ///
    /// - Parameter own: the controls of the voice's pattern.
    func apply(to voice: inout PatternVoice, with own: [ControlCurve], _ clock: PlayerClock) {
        guard !isEmpty else { return }
        voice.replaceControls(curves(with: own, clock))
    }

    /// Returns these controls and those of the pattern in pattern time. Controls of the pattern
    /// follow the sent controls with the same time, and therefore override them.
    func curves(with own: [ControlCurve], _ clock: PlayerClock) -> [ControlCurve] {
        guard !isEmpty else { return own }
        return (current.map { $0.curve(clock) } + coming.map { $0.curve(clock) } + own).inOrder
    }

    /// Fixes in pattern time the controls that have begun by an engine time, and removes the
    /// controls that have been replaced.
    ///
    /// - Parameter patternTime: a closure that returns the pattern time for an engine time since
    ///   the last call.
    mutating func settle(
        at time: HostTime, _ patternTime: (HostTime) -> Microseconds
    ) {
        let begun = coming.prefix { $0.first.time <= time }
        for control in begun {
            current.removeAll { $0.id == control.id }
            current.append(Current(id: control.id, ahead: [control.first] + control.rest))
        }
        coming.removeFirst(begun.count)
        for index in current.indices { current[index].settle(at: time, patternTime) }
    }

    /// Restarts the pattern at an engine time. The controls that are in effect apply from the
    /// beginning of the pattern.
    ///
    /// - Parameter position: the offset in the pattern at which playback begins; lines between
    ///   control points continue from this offset.
    mutating func startOver(at time: HostTime, from position: Microseconds) {
        settle(at: time) { _ in position }
        for index in current.indices {
            var last = current[index].passed.last!
            (last.engine, last.pattern) = (time, position)
            var first = last
            first.pattern = 0
            current[index].passed = [first, last]
        }
    }
}

extension PlayerControls.Coming {
    /// Returns whether the control is a parameter that one of the given controls replaces.
    ///
    /// - Parameter others: the controls at the same time or later, in ascending order of time.
    fileprivate func isReplaced(by others: ArraySlice<Self>) -> Bool {
        rest.isEmpty
            && others.lazy.prefix { $0.first.time == first.time }.contains { $0.id == id }
    }

    fileprivate func curve(_ clock: PlayerClock) -> ControlCurve {
        ControlCurve(
            id, start: clock.patternTime(at: first.time), value: first.value,
            rest: rest.isEmpty ? [] : rest.map { $0.point(clock) })
    }
}

extension PlayerControls.ComingCorner {
    fileprivate func point(_ clock: PlayerClock) -> HapticParameterCurve.Point {
        .init(time: clock.patternTime(at: time), value: value)
    }
}

extension PlayerControls.Current {
    fileprivate func curve(_ clock: PlayerClock) -> ControlCurve {
        ControlCurve(
            id, start: passed[0].pattern, value: passed[0].value,
            rest: passed.dropFirst().map { .init(time: $0.pattern, value: $0.value) }
                + ahead.map { $0.point(clock) })
    }

    /// Marks the control points up to an engine time as passed, and divides a line that continues
    /// at that time. Of the passed control points, only the first and the last are kept.
    fileprivate mutating func settle(
        at time: HostTime, _ patternTime: (HostTime) -> Microseconds
    ) {
        let count = ahead.prefix { $0.time <= time }.count
        let isRamp = count < ahead.count
        passed += ahead.prefix(count).map {
            .init(engine: $0.time, pattern: max(0, patternTime($0.time)), value: $0.value)
        }
        if isRamp {
            let value = value(between: passed.last!, and: ahead[count], at: time)
            passed.append(.init(engine: time, pattern: max(0, patternTime(time)), value: value))
        }
        if passed.count > 2 { passed.removeSubrange(1..<(passed.count - 1)) }
        ahead.removeFirst(count)
    }

    private func value(
        between last: PlayerControls.Corner, and next: PlayerControls.ComingCorner,
        at time: HostTime
    ) -> Double {
        guard next.time > last.engine else { return next.value }
        let fraction = Double(time - last.engine) / Double(next.time - last.engine)
        return last.value + (next.value - last.value) * fraction
    }
}

extension PlayerClock {
    /// Returns the pattern's time at an engine time; 0 if the engine time is before its start.
    fileprivate func patternTime(at time: HostTime) -> Microseconds { max(0, pattern(at: time)) }
}

extension DynamicParameterID {
    /// True if the parameter changes the durations of events.
    var changesDurations: Bool {
        switch self {
        case .hapticAttackTimeControl, .hapticDecayTimeControl, .hapticReleaseTimeControl: true
        default: false
        }
    }
}

/// The id and the time of a parameter. A parameter that is sent later replaces an earlier parameter
/// with the same id and time.
private struct ParameterPosition: Hashable {
    let id: DynamicParameterID
    let time: Microseconds

    /// Only the time is hashed, because few parameters have the same time, and hashing an id takes
    /// as long as hashing its name.
    func hash(into hasher: inout Hasher) { hasher.combine(time) }
}

extension [HapticDynamicParameter] {
    /// Returns these parameters followed by later ones. If several parameters have the same id and
    /// time, only the last of these parameters remains.
    package func replaced(by later: Self) -> Self {
        var positions: Set<ParameterPosition> = []
        return (self + later).reversed()
            .filter { positions.insert(ParameterPosition(id: $0.id, time: $0.time)).inserted }
            .reversed()
    }
}
