// Tests that every real file plays, and that all user interfaces play a file with the same levels
// at the same times.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool, .enabled(if: !SharedFiles.ahap.isEmpty, "no shared files"))
struct SamePlayTests {
    /// A level on the bus, and the time of its write, in microseconds after the first level above
    /// 0.
    private struct Level {
        let time: Int
        let value: Int
    }

    /// Twenty of the real files that last less than ten seconds, chosen at equal intervals from the
    /// list in alphabetical order.
    private static let files: [String] = {
        let short = SharedFiles.ahap.filter { name in
            guard let pattern = try? SharedFiles.pattern(name) else { return false }
            return pattern.length < 10_000_000 && !pattern.isEndless
                && pattern.events.allSatisfy(\.type.isHaptic)
                && pattern.events.contains { $0.intensity > 0 }
        }
        return stride(from: 0, to: short.count, by: max(1, short.count / 20)).prefix(20).map {
            short[$0]
        }
    }()

    /// The maximum differences between two user interfaces: in the time at which they write a
    /// level, in microseconds, and in the level, in steps of 1/255.
    private static let timeTolerance = 1_000
    private static let levelTolerance = 3
    private static let tick = 250

    @Test(arguments: files)
    func everySurfaceWritesTheSameLevelsAtTheSameTimes(_ name: String) throws {
        let folder = Folder()
        let text = String(decoding: try SharedFiles.bytes(name, in: "ahap"), as: UTF8.self)
        let file = try folder.write("a.ahap", text)
        let reference = try virtualPlay(file, folder)
        #expect(!reference.isEmpty)
        for (surface, levels) in [
            ("play on a served board", try servedPlay(file)), ("play --watch", try watch(file)),
            ("studio", try studio(text)),
        ] {
            let difference =
                firstDifference(reference, levels) ?? firstDifference(levels, reference)
            #expect(
                difference == nil,
                "\(surface): at \(difference ?? 0) µs: \(around(difference, reference)) and \(around(difference, levels))"
            )
        }
    }

    /// Checks that every real file that can be read plays to its end on the virtual board. Sounds
    /// are not played, because sound devices cannot run in virtual time.
    @Test(arguments: SharedFiles.ahap)
    func everyReadableFilePlays(_ name: String) throws {
        let path = SharedFiles.folder.appending(path: "ahap/\(name).ahap").path
        let play = try Tool.bridge("play", "--virtual", "--no-sound", path)
        let isReadable = try SharedFiles.pattern(name) != nil
        #expect(play.status == (isReadable ? 0 : 65), "\(play)")
    }

    // MARK: Surfaces

    private func virtualPlay(_ file: String, _ folder: Folder) throws -> [Level] {
        let play = try Tool.bridge("play", "--virtual", "--trace", folder.path("trace"), file)
        #expect(play.status == 0, "\(play)")
        let writes = folder.text("trace").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            return fields.last?.count == 6 && fields.last?.hasPrefix("b402") == true
                ? (time: Int(fields[0]) ?? 0, value: Int(fields[1].suffix(2), radix: 16) ?? 0) : nil
        }
        return levels(writes)
    }

    private func servedPlay(_ file: String) throws -> [Level] {
        let board = try LiveBoard()
        let play = try Tool.bridge(
            "play", "--port", board.port, file, environment: PortOwner.server.environment)
        #expect(play.status == 0, "\(play)")
        return levels(of: board)
    }

    private func watch(_ file: String) throws -> [Level] {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["play", "--watch", "--port", board.port, file])
        awaitEnd(of: board)
        tool.signal(SIGINT)
        _ = tool.outcome()
        return levels(of: board)
    }

    private func studio(_ text: String) throws -> [Level] {
        let board = try LiveBoard()
        let rig = try StudioRig(text, port: board.port)
        rig.awaitBoard()
        rig.page.send(request: #"{"type":"play","from":0}"#)
        awaitEnd(of: board)
        return levels(of: board)
    }

    /// Waits until the board has played and has then been at rest for three seconds.
    private func awaitEnd(of board: LiveBoard) {
        #expect(wait { board.hasDriven })
        var count = 0
        repeat {
            count = board.transactions.count
            pause(3_000_000)
        } while board.transactions.count != count || !board.isAtRest
    }

    // MARK: Levels

    private func levels(of board: LiveBoard) -> [Level] {
        levels(
            board.transactions.compactMap { transaction in
                transaction.write.flatMap {
                    $0.register == 2 ? (time: transaction.start, value: $0.value) : nil
                }
            })
    }

    private func levels(_ writes: [(time: Int, value: Int)]) -> [Level] {
        guard let first = writes.first(where: { $0.value > 0 }) else { return [] }
        let levels = writes.filter { $0.time >= first.time }.map {
            Level(time: $0.time - first.time, value: $0.value)
        }
        // A level that is replaced within a tick has no effect on the actuator.
        return zip(levels, levels.dropFirst()).compactMap { level, next in
            next.time - level.time < Self.tick ? nil : level
        } + levels.suffix(1)
    }

    private func around(_ time: Int?, _ levels: [Level]) -> String {
        levels.filter { abs($0.time - (time ?? 0)) < 10_000 }.map { "\($0.time):\($0.value)" }
            .joined(separator: " ")
    }

    /// Returns the time of the first level in a trace that has no counterpart in a second trace
    /// within the tolerances, or nil if every level has a counterpart.
    private func firstDifference(_ one: [Level], _ other: [Level]) -> Int? {
        one.first { level in
            let near = (level.time - Self.timeTolerance)...(level.time + Self.timeTolerance)
            // On a steep ramp, a level in one trace may lie between two levels in the other trace.
            let values = values(of: other, in: near)
            let range =
                (values.min()! - Self.levelTolerance)...(values.max()! + Self.levelTolerance)
            return !range.contains(level.value)
        }?.time
    }

    /// Returns the values that are in effect during an interval of a trace.
    private func values(of levels: [Level], in interval: ClosedRange<Int>) -> [Int] {
        let before = levels.last { $0.time <= interval.lowerBound }?.value ?? 0
        return [before] + levels.filter { interval.contains($0.time) }.map(\.value)
    }
}
