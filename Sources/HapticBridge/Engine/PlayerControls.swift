// What an app has sent to a player: parameters and curves, between engine time and pattern time.

import AHAP
import HapticCompiler

/// Where a player is: from `engine` on, the pattern runs on from `pattern` at `rate`.
///
/// Times that no clock reaches are `Microseconds.max`; nothing here overflows.
struct PlayerClock: Sendable, Equatable {
    /// Engine time, in microseconds.
    var engine: Microseconds
    /// The pattern's own time then.
    var pattern: Microseconds
    /// Pattern seconds in a second, within ``rates``.
    var rate: Double

    /// The rates at which a pattern can play.
    static let rates = 1.0 / 64...64.0

    /// The pattern's time at an engine time.
    func pattern(at time: Microseconds) -> Microseconds {
        guard rate != 1 else { return Self.limited(pattern + (time - engine)) }
        return Self.sum(pattern, Double(time - engine) * rate)
    }

    /// The engine time at which the pattern's time is reached; `Microseconds.max` for never.
    func engine(at time: Microseconds) -> Microseconds {
        guard time < Self.never else { return .max }
        guard rate != 1 else { return Self.limited(engine + (time - pattern)) }
        return Self.sum(engine, Double(time - pattern) / rate)
    }

    /// The least pattern time that is reached at an engine time or later.
    func firstPattern(at time: Microseconds) -> Microseconds {
        guard rate != 1 else { return pattern(at: time) }
        // What is reached half a microsecond earlier is rounded to `time`.
        let first = Self.sum(pattern, ((Double(time - engine) - 0.5) * rate).rounded(.up))
        guard first < Self.never else { return .max }
        // Division and rounding are off by one at most.
        if engine(at: first) < time { return first + 1 }
        return engine(at: first - 1) >= time ? first - 1 : first
    }

    private static func sum(_ time: Microseconds, _ other: Double) -> Microseconds {
        // Either is far below what a sum of both could overflow.
        let limit = Double(never)
        return limited(time + Microseconds(min(max(other, -limit), limit).rounded()))
    }

    private static func limited(_ time: Microseconds) -> Microseconds {
        time < never ? max(time, -never) : .max
    }

    /// Times so late that they stand for an end that never comes.
    private static let never = Microseconds.max / 4
}

/// Parameters and curves that were sent to a player. What has been in force keeps its place in the
/// pattern's time, what is yet to come its place in engine time.
struct PlayerControls: Sendable {
    /// One parameter or curve, as corners by ascending time. Never empty.
    fileprivate struct Writer: Sendable {
        let id: DynamicParameterID
        /// Corners that the player has passed.
        var passed: [Corner] = []
        /// Corners that lie ahead, in engine time.
        var ahead: [HapticParameterCurve.Point]

        /// Whether it is one value that is yet to come into force at a time.
        func isParameter(_ id: DynamicParameterID, at time: Microseconds) -> Bool {
            self.id == id && passed.isEmpty && ahead.count == 1 && ahead[0].time == time
        }
    }

    /// A corner that was passed: when, and where in the pattern.
    fileprivate struct Corner: Sendable {
        var engine: Microseconds
        var pattern: Microseconds
        var value: Double
    }

    private var writers: [Writer] = []

    /// Adds parameters; each takes effect at `time` and its own time behind it, engine time.
    mutating func send(_ parameters: [HapticDynamicParameter], at time: Microseconds) {
        for parameter in parameters {
            let start = time + parameter.time
            writers.removeAll { $0.isParameter(parameter.id, at: start) }
            add(parameter.id, [.init(time: start, value: parameter.value)])
        }
    }

    /// Adds a curve that starts at an engine time.
    mutating func schedule(_ curve: HapticParameterCurve, at time: Microseconds) {
        add(curve.id, curve.points.map { .init(time: time + $0.time, value: $0.value) })
    }

    /// Forgets what has not begun at an engine time.
    mutating func cancel(after time: Microseconds) {
        writers.removeAll { $0.passed.isEmpty && $0.ahead[0].time > time }
    }

    private mutating func add(_ id: DynamicParameterID, _ points: [HapticParameterCurve.Point]) {
        guard !points.isEmpty else { return }
        writers.append(Writer(id: id, ahead: points))
    }

    /// Has a voice of the pattern go on under these controls.
    func apply(to voice: inout PatternVoice, of pattern: HapticPattern, _ clock: PlayerClock) {
        guard !writers.isEmpty else { return }
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
        voice.replaceControls(parameters: [], curves: pattern.writers(behind: sent))
    }

    /// Settles what has begun by an engine time at its place in the pattern, and forgets what was
    /// replaced since.
    ///
    /// - Parameter place: the pattern's time at an engine time since the last call.
    mutating func settle(
        at time: Microseconds, _ place: (Microseconds) -> Microseconds
    ) {
        for index in writers.indices { writers[index].settle(at: time, place) }
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

    /// The pattern starts over at an engine time: what is in force holds from its beginning.
    ///
    /// - Parameter position: where in the pattern playing begins; lines go on from there.
    mutating func startOver(at time: Microseconds, from position: Microseconds) {
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
    /// Moves the corners up to an engine time to the passed ones; a line that goes on is cut there.
    /// Of what is passed, the first and the last corner say enough.
    fileprivate mutating func settle(
        at time: Microseconds, _ place: (Microseconds) -> Microseconds
    ) {
        let count = ahead.prefix { $0.time <= time }.count
        guard count > 0 || !passed.isEmpty else { return }
        let isRamp = count < ahead.count
        passed += ahead.prefix(count).map {
            .init(engine: $0.time, pattern: max(0, place($0.time)), value: $0.value)
        }
        if isRamp {
            let value = value(between: passed.last!, and: ahead[count], at: time)
            passed.append(.init(engine: time, pattern: max(0, place(time)), value: value))
        }
        if passed.count > 2 { passed.removeSubrange(1..<(passed.count - 1)) }
        ahead.removeFirst(count)
    }

    private func value(
        between last: PlayerControls.Corner, and next: HapticParameterCurve.Point,
        at time: Microseconds
    ) -> Double {
        guard next.time > last.engine else { return next.value }
        let share = Double(time - last.engine) / Double(next.time - last.engine)
        return last.value + (next.value - last.value) * share
    }
}

extension HapticPattern {
    /// Every control of the pattern as a curve, behind others that were sent: of those that start
    /// at the same time the later in the list counts, and so does a curve over a parameter.
    fileprivate func writers(behind sent: [HapticParameterCurve]) -> [HapticParameterCurve] {
        sent
            + parameters.map {
                HapticParameterCurve(
                    $0.id, time: $0.time, points: [.init(time: 0, value: $0.value)])
            } + curves
    }
}
