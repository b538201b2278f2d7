// Tests of the measurement in `bridge studio`: its result, the reasons why there is none, and its
// end.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct StudioMeasureTests {
    /// A tap and a hold that are felt separately.
    private static let pattern = #"""
        {"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient","EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":1}]}},
        {"Event":{"Time":0.5,"EventType":"HapticContinuous","EventDuration":0.2,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.7}]}}]}
        """#

    private static let sensor = ["--sensor", "lsm6dso"]

    private typealias Message = InMemoryPage.Message

    /// Waits until the board can measure.
    private func awaitSensor(_ rig: StudioRig) {
        _ = rig.page.next("board") { $0["felt"] as? Bool == true && $0["unmeasured"] == nil }
    }

    private func measure(_ rig: StudioRig) { rig.page.send(request: #"{"type":"measure"}"#) }

    /// Returns the next message that a measurement has ended.
    private func ended(_ rig: StudioRig) -> Message? {
        rig.page.next("measurement") { $0["isRunning"] as? Bool == false }
    }

    /// Starts to measure a hold of ten seconds, and waits until the actuator is driven.
    private func measuring(on board: LiveBoard) throws -> StudioRig {
        let rig = try StudioRig(StudioTests.held, port: board.port)
        awaitSensor(rig)
        measure(rig)
        #expect(rig.page.next("measurement") { $0["isRunning"] as? Bool == true } != nil)
        #expect(wait { board.level > 0 })
        return rig
    }

    /// Checks that the studio plays again after a measurement.
    private func expectPlaying(_ rig: StudioRig, on board: LiveBoard) {
        rig.page.send(request: #"{"type":"play","from":0}"#)
        #expect(wait { board.level > 0 })
    }

    // MARK: The result

    /// Checks the events of a measurement, on the tool's own board and on a board at a port.
    @Test(arguments: [false, true])
    func theEventsOfThePatternAreMeasured(_ isAtPort: Bool) throws {
        let board = isAtPort ? try LiveBoard(options: Self.sensor) : nil
        let rig = try StudioRig(Self.pattern, port: board?.port)
        awaitSensor(rig)
        measure(rig)
        #expect(rig.page.next("measurement") { $0["isRunning"] as? Bool == true } != nil)
        let result = try #require(ended(rig)?["result"] as? Message)
        #expect((result["place"] as? String)?.contains("measured along z by LSM6DSO") == true)
        #expect((result["warnings"] as? [String])?.isEmpty == true, "\(result)")
        #expect(result["eventCount"] as? Int == 2)
        let acceleration = result["acceleration"] as? [Double] ?? []
        #expect(acceleration.count == (result["times"] as? [Double])?.count)
        #expect(acceleration.max() ?? 0 > 0.5)
        let events = try #require(result["events"] as? [Message])
        let wanted: [(time: Double, isTap: Bool, level: Double)] = [
            (0, true, 1), (0.5, false, 0.7),
        ]
        #expect(events.count == wanted.count)
        for (event, wanted) in zip(events, wanted) {
            #expect(event["time"] as? Double == wanted.time)
            #expect(event["isTap"] as? Bool == wanted.isTap)
            #expect(event["designed"] as? Double == wanted.level)
            #expect(try abs(#require(event["measured"] as? Double) - wanted.level) < 0.15)
            #expect(try #require(event["jnd"] as? Double) < 1)
            #expect(try #require(event["predictionJND"] as? Double) < 0.5)
            #expect(try abs(#require(event["later"] as? Double)) < 0.5)
        }
        guard let board else { return }
        #expect(wait { board.isAtRest })
        expectPlaying(rig, on: board)
    }

    @Test func soundsAreNotAmongTheMeasuredEvents() throws {
        let rig = try StudioRig(
            #"""
            {"Pattern":[{"Event":{"Time":0,"EventType":"AudioContinuous","EventDuration":0.1}},
            {"Event":{"Time":0.2,"EventType":"HapticTransient"}}]}
            """#)
        awaitSensor(rig)
        measure(rig)
        let message = rig.page.next("measurement") { $0["result"] != nil }
        let result = try #require(message?["result"] as? Message)
        #expect((result["events"] as? [Message])?.map { $0["time"] as? Double } == [0.2])
        #expect(result["eventCount"] as? Int == 1)
    }

    @Test func aPageThatIsLoadedLaterShowsTheResult() throws {
        let rig = try StudioRig(Self.pattern)
        awaitSensor(rig)
        measure(rig)
        #expect(rig.page.next("measurement") { $0["result"] != nil } != nil)
        rig.page.reload()
        #expect(rig.page.next("measurement")?["result"] != nil)
    }

    /// The tool's own board moves along z only.
    @Test func anAxisThatDoesNotMoveIsAWarning() throws {
        let rig = try StudioRig(Self.pattern, options: ["--axis", "x"])
        awaitSensor(rig)
        measure(rig)
        _ = rig.page.next("measurement") { $0["isRunning"] as? Bool == true }
        let warnings = (ended(rig)?["result"] as? Message)?["warnings"] as? [String] ?? []
        #expect(warnings.contains { $0.contains("senses no vibration") }, "\(warnings)")
    }

    @Test func anEditRemovesTheResult() throws {
        let rig = try StudioRig(Self.pattern)
        awaitSensor(rig)
        measure(rig)
        #expect(rig.page.next("measurement") { $0["result"] != nil } != nil)
        rig.edit(0, StudioTests.intensity, "0.5")
        let message = rig.page.next("measurement")
        #expect(message?["isRunning"] as? Bool == false && message?["result"] == nil)
    }

    // MARK: Nothing can be measured

    /// Requests a measurement, and returns the reason why it is refused.
    private func refusal(_ rig: StudioRig) -> String {
        measure(rig)
        return rig.page.next("error")?["message"] as? String ?? "it is not refused"
    }

    @Test func aBoardWithoutAnAccelerometerIsRefusedWithTheReason() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.pattern, port: board.port)
        let reason = "found no accelerometer: connect a breakout board"
        let state = rig.page.next("board") {
            ($0["unmeasured"] as? String)?.contains(reason) == true
        }
        #expect(state?["felt"] as? Bool == true)
        #expect(refusal(rig).contains(reason))
        #expect(!board.hasDriven)
    }

    @Test func withoutABoardTheReasonIsThatOfTheBoard() throws {
        let rig = try StudioRig(Self.pattern, port: "/dev/haptic-bridge-none")
        let state = rig.page.next("board") { $0["felt"] as? Bool == false }
        #expect(state?["unmeasured"] as? String == state?["why"] as? String)
        #expect(refusal(rig).contains("nothing can be measured"))
    }

    @Test func aMutedStudioDoesNotMeasure() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try StudioRig(Self.pattern, port: board.port)
        awaitSensor(rig)
        rig.page.send(request: #"{"type":"mute","on":true}"#)
        #expect(refusal(rig).contains("the studio is muted"))
        #expect(!board.hasDriven)
    }

    @Test(arguments: [
        (#"{"Pattern":[]}"#, "nothing to measure"),
        (#"{"Pattern":["#, "cannot be read"),
        (
            #"""
            {"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient","EventParameters":[
            {"ParameterID":"HapticIntensity","ParameterValue":0}]}}]}
            """#, "nothing to feel"
        ),
        (
            #"""
            {"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient"}},
            {"Event":{"Time":90,"EventType":"HapticTransient"}}]}
            """#, "74 s at most"
        ),
    ])
    func aPatternThatCannotBeMeasuredIsRefused(_ text: String, _ reason: String) throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try StudioRig(text, port: board.port)
        awaitSensor(rig)
        let refusal = refusal(rig)
        #expect(refusal.contains(reason), "\(refusal)")
        #expect(!board.hasDriven)
    }

    // MARK: The end of a measurement

    @Test func aStopEndsTheMeasurementAtRest() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        rig.page.send(request: #"{"type":"stop"}"#)
        let end = rig.page.next(anyOf: "measurement", "error")
        #expect(end?["isRunning"] as? Bool == false && end?["result"] == nil, "\(end ?? [:])")
        let rest = rig.page.next("rest")
        #expect(rest?["verified"] as? Bool == true, "\(rest ?? [:])")
        #expect(board.isAtRest)
        expectPlaying(rig, on: board)
    }

    @Test func aSecondMeasurementIsRefusedWhileOneRuns() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        #expect(refusal(rig) == "a measurement is in progress")
        rig.page.send(request: #"{"type":"stop"}"#)
        #expect(rig.page.next("rest")?["verified"] as? Bool == true)
        measure(rig)
        #expect(wait { board.level > 0 })
    }

    @Test func mutingEndsTheMeasurementAtRest() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        rig.page.send(request: #"{"type":"mute","on":true}"#)
        #expect(try #require(ended(rig))["result"] == nil)
        #expect(board.isAtRest)
    }

    @Test func aPlaybackEndsTheMeasurementAndBegins() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        rig.page.send(request: #"{"type":"play","from":5}"#)
        #expect(try #require(ended(rig))["result"] == nil)
        let position = rig.page.next("position") { $0["isPlaying"] as? Bool == true }
        #expect(position?["time"] as? Double ?? 0 >= 5)
        #expect(wait { board.level > 0 })
    }

    @Test func anEditEndsTheMeasurementAndIsFelt() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        rig.edit(0, StudioTests.intensity, "0.9")
        #expect(try #require(ended(rig))["result"] == nil)
        #expect(wait { abs(board.level - 230) <= 1 })
    }

    @Test func aMeasurementEndsThePlayback() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try StudioRig(StudioTests.held, port: board.port)
        awaitSensor(rig)
        expectPlaying(rig, on: board)
        #expect(rig.page.next("position") { $0["isPlaying"] as? Bool == true } != nil)
        measure(rig)
        #expect(rig.page.next("position") { $0["isPlaying"] as? Bool == false } != nil)
        let result = rig.page.next("measurement") { $0["result"] != nil }
        let events = (result?["result"] as? Message)?["events"] as? [Message]
        #expect(events?.count == 1, "\(result ?? [:])")
    }

    @Test func theLossOfTheBoardEndsTheMeasurementWithTheReason() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        _ = board.end()
        #expect((rig.page.next("error")?["message"] as? String)?.isEmpty == false)
        #expect(try #require(ended(rig))["result"] == nil)
        let state = rig.page.next("board") { $0["felt"] as? Bool == false }
        #expect((state?["unmeasured"] as? String)?.isEmpty == false)
    }

    @Test func theLossOfTheLastPageEndsTheMeasurement() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        rig.page.leave()
        #expect(wait { board.isAtRest })
    }

    @Test func theEndOfTheToolEndsTheMeasurementAtRest() throws {
        let board = try LiveBoard(options: Self.sensor)
        let rig = try measuring(on: board)
        rig.tool.signal(SIGINT)
        let outcome = rig.tool.outcome()
        #expect(outcome.wasEnded(by: SIGINT) && board.isAtRest, "\(outcome)")
        #expect(outcome.errors.contains("at rest"), "\(outcome)")
    }
}
