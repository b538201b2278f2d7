// ReferenceMixer: a mixer that is simple enough to be verified by reading its code. The mixer
// calculates the levels of players at an instant.

import BridgeLink
import HapticPatterns

@testable import BoardEngine
@testable import HapticBridge

/// A player that receives timed operations and can calculate its level at any time since the last
/// operation.
struct ReferencePlayer {
    enum State {
        case idle
        case playing
        case paused
    }

    /// A parameter or a curve, represented by its corner points in host time.
    struct Writer {
        var corners: [(time: HostTime, value: Double)]
        var start: HostTime { corners[0].time }
    }

    let pattern: HapticPattern
    var state = State.idle
    /// A reference point for the player's position: at `time`, the player is `position`
    /// microseconds into its pattern.
    var anchor: (time: HostTime, position: Double) = (0, 0)
    var rate = 1.0
    /// The pending starts and stops. A start has a position in the pattern; for a stop, the
    /// position is nil.
    var changes: [(time: HostTime, start: Double?)] = []
    var loops = false
    var loopEnd: Double
    var isMuted = false
    var writers: [Writer] = []

    init(_ pattern: HapticPattern) {
        self.pattern = pattern
        loopEnd = Double(pattern.length)
    }

    /// The end of the pattern, in microseconds; nil if it is endless.
    var end: Double? { pattern.isEndless ? nil : Double(pattern.length) }

    func position(at time: HostTime) -> Double? {
        guard state != .idle else { return nil }
        if state == .paused { return anchor.position }
        guard time >= anchor.time else { return nil }
        let position = anchor.position + Double(time - anchor.time) * rate
        if loops { return position < loopEnd ? position : position.remainder(loopEnd) }
        if let end, position > end { return nil }
        return position
    }

    /// Returns the level at a time, 0...255.
    func level(at time: HostTime) -> Double {
        if let first = changes.first, first.time <= time {
            return settled(at: time).level(at: time)
        }
        guard state == .playing, !isMuted, let position = position(at: time) else { return 0 }
        let loudest = pattern.events.filter { event in
            guard event.type == .hapticContinuous else { return false }
            let isEndless = (event.length ?? 0) == 0
            return Double(event.time) <= position
                && (isEndless || position < Double(event.time + event.length!))
        }.map(\.intensity).max()
        return (loudest ?? 0) * control(at: time) * 255
    }

    /// Returns the taps that begin within a time range, with their levels. The range must be after
    /// the last operation on the player.
    func taps(in range: ClosedRange<HostTime>) -> [(time: HostTime, level: Double)] {
        let change = changes.first?.time ?? .never
        let later = change <= range.upperBound ? settled(at: change).taps(in: range) : []
        guard state == .playing, !isMuted else { return later }
        return pattern.events.filter { $0.type == .hapticTransient }.flatMap { tap in
            passes(of: Double(tap.time), until: range.upperBound)
                .filter { range.contains($0) && $0 < change }
                .map { ($0, tap.intensity * control(at: $0) * 255) }
        } + later
    }

    private func settled(at time: HostTime) -> Self {
        var player = self
        player.settle(at: time)
        return player
    }

    /// Returns the times, from the anchor on, at which the player reaches a position in its
    /// pattern.
    private func passes(of position: Double, until end: HostTime) -> [HostTime] {
        guard !loops || position < loopEnd else { return [] }
        let length = loops ? loopEnd : .infinity
        let first = position < anchor.position ? position + length : position
        return sequence(first: first) { $0 + length }.lazy
            .map { Double(anchor.time.microseconds) + ($0 - anchor.position) / rate }
            .prefix { $0 <= Double(end.microseconds) }
            .map { HostTime(microseconds: Int64($0)) }
    }

    private func control(at time: HostTime) -> Double {
        var newest: Writer?
        for writer in writers where writer.start <= time {
            if let newest, writer.start < newest.start { continue }
            newest = writer
        }
        guard let corners = newest?.corners else { return 1 }
        guard let index = corners.lastIndex(where: { $0.time <= time }), index + 1 < corners.count
        else { return corners.last!.value }
        let (one, next) = (corners[index], corners[index + 1])
        return one.value + (next.value - one.value) * Double(time - one.time)
            / Double(next.time - one.time)
    }

    // MARK: Operations

    mutating func perform(_ command: PlayerCommand, at time: HostTime) {
        settle(at: time)
        switch command {
        case .start(let start, let offset):
            let change = (time: max(start, time), start: Double(offset))
            changes.insert(
                change, at: changes.firstIndex { $0.time > change.time } ?? changes.count)
        case .stop(let stop):
            changes.removeAll { $0.time > max(stop, time) }
            if let last = changes.last, last.start == nil { changes.removeLast() }
            changes.append((max(stop, time), nil))
        case .cancel:
            state = .idle
            changes = []
            writers.removeAll { $0.start > time }
        case .pause: if state == .playing { state = .paused }
        case .resume:
            guard state == .paused else { return }
            state = .playing
            anchor.time = time
        case .seek(let offset): seek(to: Double(offset), at: time)
        case .setRate(let rate): self.rate = rate
        case .setLoop(let loops, let end):
            self.loops = loops
            loopEnd = Double(end > 0 ? end : pattern.length)
            if loops, state == .playing, anchor.position >= loopEnd { seek(to: 0, at: time) }
        case .setMuted(let isMuted): self.isMuted = isMuted
        case .send(let parameters, let sent):
            for parameter in parameters {
                let start = max(sent, time) + parameter.time
                writers.append(Writer(corners: [(start, parameter.value)]))
            }
        case .schedule(let curve, let sent):
            let start = max(sent, time)
            writers.append(Writer(corners: curve.points.map { (start + $0.time, $0.value) }))
        case .add, .abandon: break
        }
        settle(at: time)
    }

    private mutating func seek(to offset: Double, at time: HostTime) {
        if state == .idle, let next = changes.firstIndex(where: { $0.start != nil }) {
            changes[next].start = offset
        } else if !loops, let end, offset >= end {
            state = .idle
        } else if state != .idle {
            anchor = (max(time, anchor.time), loops && offset >= loopEnd ? 0 : offset)
        }
    }

    /// Moves the anchor to `time`, so that the anchor includes all playback so far.
    private mutating func settle(at time: HostTime) {
        while let change = changes.first, change.time <= time {
            changes.removeFirst()
            settle(at: change.time)
            state = change.start == nil ? .idle : .playing
            anchor = (change.time, 0)
            if let start = change.start, start > 0 { seek(to: start, at: change.time) }
        }
        if let newest = writers.map(\.start).filter({ $0 <= time }).max() {
            writers.removeAll { $0.start < newest }
        }
        guard state == .playing, time > anchor.time else { return }
        if let position = position(at: time) {
            anchor = (time, position)
        } else {
            state = .idle
        }
    }
}

extension Double {
    /// Returns the nonnegative remainder of a division by a positive number.
    fileprivate func remainder(_ divisor: Double) -> Double {
        truncatingRemainder(dividingBy: divisor)
    }
}
