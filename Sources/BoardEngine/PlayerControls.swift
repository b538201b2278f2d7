// The parameters and curves that an app has sent to a player, converted from engine time to pattern
// time.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The parameters and curves that were sent to a player. A control that has taken effect is fixed
/// in pattern time; a control that has not yet taken effect is fixed in engine time.
struct PlayerControls: Sendable {
    /// A parameter or a curve, as at least one control point. Control points are in ascending order
    /// of time.
    fileprivate struct Writer: Sendable {
        let id: DynamicParameterID
        /// The control points that the player has passed.
        var passed: [Corner] = []
        /// The control points that the player has not reached.
        var ahead: [ComingCorner]

        /// The position of a single value that has not taken effect; nil for a curve, or for a
        /// value that has taken effect.
        var parameterPosition: ParameterPosition? {
            guard passed.isEmpty, ahead.count == 1 else { return nil }
            return ParameterPosition(id: id, time: ahead[0].time.microseconds)
        }
    }

    /// A passed control point, with its engine time and its pattern time.
    fileprivate struct Corner: Sendable {
        var engine: HostTime
        var pattern: Microseconds
        var value: Double
    }

    /// A control point that the player has not reached, at an engine time.
    fileprivate struct ComingCorner: Sendable {
        var time: HostTime
        var value: Double
    }

    private var writers: [Writer] = []

    /// True if no controls were sent.
    var isEmpty: Bool { writers.isEmpty }

    /// Returns whether any of the given parameters was sent.
    func changes(_ ids: Set<DynamicParameterID>) -> Bool {
        writers.contains { ids.contains($0.id) }
    }

    /// The number of values and control points that have not taken effect.
    var waiting: Int { writers.reduce(0) { $0 + $1.ahead.count } }

    /// Adds parameters. Each takes effect at its own time after `time`, in engine time.
    mutating func send(_ parameters: [HapticDynamicParameter], at time: HostTime) {
        let new = [HapticDynamicParameter]().replaced(by: parameters)
        let positions = Set(
            new.map { ParameterPosition(id: $0.id, time: (time + $0.time).microseconds) })
        writers.removeAll { $0.parameterPosition.map(positions.contains) ?? false }
        for parameter in new {
            add(parameter.id, [.init(time: time + parameter.time, value: parameter.value)])
        }
    }

    /// Adds a curve that starts at an engine time.
    mutating func schedule(_ curve: HapticParameterCurve, at time: HostTime) {
        add(curve.id, curve.points.map { .init(time: time + $0.time, value: $0.value) })
    }

    /// Removes the controls that have not begun at an engine time.
    mutating func cancel(after time: HostTime) {
        writers.removeAll { $0.passed.isEmpty && $0.ahead[0].time > time }
    }

    private mutating func add(_ id: DynamicParameterID, _ corners: [ComingCorner]) {
        guard !corners.isEmpty else { return }
        writers.append(Writer(id: id, ahead: corners))
    }

    /// Applies these controls to a voice of the pattern from its current position on.
    func apply(to voice: inout PatternVoice, of pattern: HapticPattern, _ clock: PlayerClock) {
        guard !writers.isEmpty else { return }
        voice.replaceControls(parameters: [], curves: curves(of: pattern, clock))
    }

    /// Returns these controls and those of the pattern as curves in pattern time.
    func curves(of pattern: HapticPattern, _ clock: PlayerClock) -> [HapticParameterCurve] {
        let sent = writers.map { writer in
            let points: [HapticParameterCurve.Point] =
                writer.passed.map { .init(time: $0.pattern, value: $0.value) }
                + writer.ahead.map {
                    .init(time: max(0, clock.pattern(at: $0.time)), value: $0.value)
                }
            let start = points[0].time
            return HapticParameterCurve(
                writer.id, time: start,
                points: points.map { .init(time: $0.time - start, value: $0.value) })
        }
        return pattern.writers(behind: sent)
    }

    /// Fixes the controls that have begun by an engine time in pattern time, and removes the
    /// controls that have been replaced.
    ///
    /// - Parameter patternTime: a closure that returns the pattern time for an engine time since
    ///   the last call.
    mutating func settle(
        at time: HostTime, _ patternTime: (HostTime) -> Microseconds
    ) {
        for index in writers.indices { writers[index].settle(at: time, patternTime) }
        var newest: [DynamicParameterID: Int] = [:]
        for (index, writer) in writers.enumerated() {
            guard let start = writer.passed.first?.engine else { continue }
            if let other = newest[writer.id], writers[other].passed[0].engine > start { continue }
            newest[writer.id] = index
        }
        writers = writers.enumerated().compactMap { index, writer in
            writer.passed.isEmpty || newest[writer.id] == index ? writer : nil
        }
    }

    /// Restarts the pattern at an engine time. The controls that are in effect apply from its
    /// beginning.
    ///
    /// - Parameter position: the offset in the pattern at which playback begins and from which the
    ///   lines between control points continue.
    mutating func startOver(at time: HostTime, from position: Microseconds) {
        settle(at: time) { _ in position }
        for index in writers.indices {
            guard var last = writers[index].passed.last else { continue }
            (last.engine, last.pattern) = (time, position)
            var first = last
            first.pattern = 0
            writers[index].passed = [first, last]
        }
    }
}

extension PlayerControls.Writer {
    /// Marks the control points up to an engine time as passed, and divides a line that continues
    /// at that time. Of the passed control points, only the first and the last are kept.
    fileprivate mutating func settle(
        at time: HostTime, _ patternTime: (HostTime) -> Microseconds
    ) {
        let count = ahead.prefix { $0.time <= time }.count
        guard count > 0 || !passed.isEmpty else { return }
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

/// The position of a parameter in time. A later parameter replaces an earlier one with the same
/// position.
private struct ParameterPosition: Hashable {
    let id: DynamicParameterID
    let time: Microseconds
}

extension [HapticDynamicParameter] {
    /// Returns these parameters followed by later ones. Of the parameters with the same identifier
    /// and time, the last one is kept.
    package func replaced(by later: Self) -> Self {
        var positions: Set<ParameterPosition> = []
        return (self + later).reversed()
            .filter { positions.insert(ParameterPosition(id: $0.id, time: $0.time)).inserted }
            .reversed()
    }
}

extension HapticPattern {
    /// Returns every control of the pattern as a curve, after the curves that were sent. Of
    /// controls that start at the same time, the later one in the list applies, so a curve takes
    /// precedence over a parameter.
    fileprivate func writers(behind sent: [HapticParameterCurve]) -> [HapticParameterCurve] {
        sent
            + parameters.map {
                HapticParameterCurve(
                    $0.id, time: $0.time, points: [.init(time: 0, value: $0.value)])
            } + curves
    }
}
