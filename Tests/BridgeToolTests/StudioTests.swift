// Tests of the requests from the page of `bridge studio`, and of their effects on the file and on
// the board's chip.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct StudioTests {
    /// A level that is held for ten seconds.
    static let held = """
        {
          "Version": 1,
          "Pattern": [
            { "Event": { "Time": 0, "EventType": "HapticContinuous", "EventDuration": 10,
              "EventParameters": [
                { "ParameterID": "HapticIntensity", "ParameterValue": 0.5 }
              ] } }
          ]
        }

        """
    static let intensity = "Event/EventParameters/0/ParameterValue"

    @Test func aPageReceivesTheFolderTheBoardAndTheDocument() throws {
        let rig = try StudioRig(Self.held)
        let hello = try #require(rig.page.next("hello"))
        #expect(hello["files"] as? [String] == ["a.ahap"])
        #expect(hello["current"] as? String == "a.ahap")
        #expect((hello["named"] as? [Any])?.count ?? 0 > 20)
        let document = try #require(rig.page.next("document"))
        #expect(document["file"] as? String == "a.ahap" && document["revision"] as? Int == 0)
        #expect(document["isSaved"] as? Bool == true && document["duration"] as? Double == 10)
        #expect((document["document"] as? [String: Any])?["Pattern"] is [Any])
        #expect(rig.page.next("design") != nil)
        let prediction = try #require(
            rig.page.next("prediction") { $0["kind"] as? String == "board" })
        #expect((prediction["acceleration"] as? [Double])?.max() ?? 0 > 0.5)
    }

    /// Checks the number of losses that the page receives. The board cannot render taps of
    /// intensity 0 or the sharpness of continuous events.
    @Test func everyLossIsCounted() throws {
        let parameters =
            #""EventParameters":[{"ParameterID":"HapticIntensity","ParameterValue":0}]"#
        let taps = (0..<250).map {
            #"{"Event":{"Time":\#($0),"EventType":"HapticTransient",\#(parameters)}}"#
        }
        let buzzes = (0..<3).map {
            #"{"Event":{"Time":\#($0),"EventType":"HapticContinuous","EventDuration":0.5}}"#
        }
        let text = #"{"Version":1,"Pattern":[\#((taps + buzzes).joined(separator: ","))]}"#
        let rig = try StudioRig(text, port: "/dev/haptic-bridge-none")
        let prediction = try #require(
            rig.page.next("prediction") { $0["kind"] as? String == "lra" })
        let losses = prediction["losses"] as? [[String: Any]] ?? []
        #expect(prediction["eventCount"] as? Int == 253)
        #expect(prediction["lossCount"] as? Int == 250)
        #expect(losses.map { $0["count"] as? Int } == [250, 3], "\(losses)")
        #expect(losses.map { ($0["places"] as? [Any])?.count } == [250, 1], "\(losses)")
    }

    @Test func aProblemNamesItsSubject() throws {
        let rig = try StudioRig(Self.held)
        for (request, subject) in [
            (#"{"type":"open","file":"none.ahap"}"#, "file"),
            (#"{"type":"swap","slot":"A"}"#, "edit"),
            (#"{"type":"abx","action":"start"}"#, "playing"),
        ] {
            rig.page.send(request: request)
            #expect(rig.page.next("error")?["about"] as? String == subject)
        }
    }

    @Test func anEditIsSavedAsAOneLineDifference() throws {
        let rig = try StudioRig(Self.held)
        rig.edit(0, Self.intensity, "0.75")
        let answer = try #require(rig.page.next("ack"))
        #expect(answer["revision"] as? Int == 1 && answer["isSaved"] as? Bool == false)
        #expect(rig.text == Self.held)
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("document")?["isSaved"] as? Bool == true)
        #expect(rig.text == Self.held.replacing("0.5 ", with: "0.75 "))
        rig.page.send(request: #"{"type":"undo"}"#)
        _ = rig.page.next("document")
        rig.page.send(request: #"{"type":"save"}"#)
        #expect(rig.page.next("document") { $0["cause"] as? String == "save" } != nil)
        #expect(rig.text == Self.held)
    }

    @Test func aDragIsFeltAsItMoves() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        for (revision, value) in [0.2, 0.6, 0.9].enumerated() {
            rig.edit(revision, Self.intensity, "\(value)", isLive: true)
            let level = Int((value * 255).rounded())
            #expect(wait { abs(board.level - level) <= 1 }, "\(value): \(board.level)")
        }
        #expect(rig.text == Self.held)
    }

    @Test func escapeIsVerifiedRest() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        rig.page.send(request: #"{"type":"play","from":0}"#)
        #expect(wait { board.level > 0 })
        rig.page.send(request: #"{"type":"stop"}"#)
        let rest = try #require(rig.page.next("rest"))
        #expect(rest["verified"] as? Bool == true, "\(rest)")
        #expect(board.level == 0)
        rig.page.send(request: #"{"type":"play","from":0}"#)
        #expect(wait { board.level > 0 })
    }

    /// The test requests rest a second time while the engine starts after the first request.
    @Test func escapeTwiceIsVerifiedRestTwice() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        for _ in 0..<2 {
            rig.page.send(request: #"{"type":"stop"}"#)
            let rest = rig.page.next("rest")
            #expect(rest?["verified"] as? Bool == true, "\(rest ?? [:])")
        }
        rig.edit(0, Self.intensity, "0.75")
        #expect(wait { board.level > 0 })
    }

    @Test func theLossOfTheLastPageIsAStop() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        rig.page.send(request: #"{"type":"play","from":0}"#)
        #expect(wait { board.level > 0 })
        rig.page.leave()
        #expect(wait { board.isAtRest })
    }

    @Test func theEndOfTheToolIsAStopAndKeepsWhatIsNotSaved() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") != nil)
        #expect(wait { board.level > 0 })
        rig.tool.signal(SIGINT)
        let outcome = rig.tool.outcome()
        #expect(outcome.wasEnded(by: SIGINT) && board.isAtRest, "\(outcome)")
        #expect(rig.folder.text("a.ahap.unsaved") == Self.held.replacing("0.5 ", with: "0.75 "))
        #expect(outcome.errors.contains("a.ahap.unsaved") && rig.text == Self.held)
    }

    @Test func aScrubHoldsTheLevelAtThePlayheadForAMoment() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        #expect(rig.page.next("design") != nil)
        rig.page.send(request: #"{"type":"scrub","at":3}"#)
        #expect(wait { abs(board.level - 128) <= 1 })
        #expect(wait { board.level == 0 })
    }

    @Test func aBlindComparisonKeepsItsScore() throws {
        let rig = try StudioRig(Self.held)
        rig.page.send(request: #"{"type":"abx","action":"start"}"#)
        #expect(rig.page.next("error") != nil)
        rig.page.send(request: #"{"type":"snapshot","slot":"A"}"#)
        rig.edit(0, Self.intensity, "0.9")
        rig.page.send(request: #"{"type":"snapshot","slot":"B"}"#)
        rig.page.send(request: #"{"type":"abx","action":"start"}"#)
        for trial in 0..<3 {
            let state = rig.page.next("abx")?["state"] as? [String: Any]
            #expect(state?["trials"] as? Int == trial && state?["isRunning"] as? Bool == true)
            rig.page.send(request: #"{"type":"abx","action":"play","which":"X"}"#)
            rig.page.send(request: #"{"type":"abx","action":"answer","answer":"A"}"#)
        }
        rig.page.send(request: #"{"type":"swap","slot":"A"}"#)
        let document = rig.page.next("document")
        #expect(document?["canUndo"] as? Bool == true)
    }

    /// Checks that the page receives no positions, because the movement of the position mark would
    /// reveal the different lengths of the versions.
    @Test func aBlindComparisonDoesNotSayWhereItPlays() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        for version in ["A", "B"] {
            rig.page.send(request: #"{"type":"snapshot","slot":"\#(version)"}"#)
        }
        rig.page.send(request: #"{"type":"abx","action":"start"}"#)
        rig.page.send(request: #"{"type":"abx","action":"play","which":"X"}"#)
        #expect(wait { board.level > 0 })
        // Without this restriction, the page would now have received more positions than the studio
        // sends during the next request.
        pause(200_000)
        rig.page.send(request: #"{"type":"abx","action":"answer","answer":"A"}"#)
        var positions: [String] = []
        while let message = rig.page.next() {
            if (message["state"] as? [String: Any])?["trials"] as? Int == 1 { break }
            if message["isPlaying"] as? Bool == true { positions.append("\(message)") }
        }
        #expect(positions == [])
        rig.page.send(request: #"{"type":"play","from":0}"#)
        #expect(rig.page.next("position") { $0["isPlaying"] as? Bool == true } != nil)
    }

    @Test func withoutABoardEverythingButFeelingWorks() throws {
        let rig = try StudioRig(Self.held, port: "/dev/haptic-bridge-none")
        let state = try #require(rig.page.next("board") { $0["felt"] as? Bool == false })
        let (why, name) = (state["why"] as? String ?? "", state["name"] as? String ?? "none")
        #expect(
            !why.isEmpty && !why.contains(name), "the page shows the name before the reason: \(why)"
        )
        for kind in ["lra", "erm"] {
            #expect(rig.page.next("prediction") { $0["kind"] as? String == kind } != nil)
        }
        rig.edit(0, Self.intensity, "0.75", isLive: true)
        #expect(rig.page.next("ack") { $0["revision"] as? Int == 1 } != nil)
        rig.page.send(request: #"{"type":"play","from":1,"to":1.2}"#)
        let position = rig.page.next("position") { $0["time"] as? Double ?? 0 > 1.05 }
        #expect(position?["isPlaying"] as? Bool == true)
        #expect(rig.page.next("position") { $0["isPlaying"] as? Bool == false } != nil)
        rig.page.send(request: #"{"type":"stop"}"#)
        #expect(rig.page.next("rest")?["verified"] as? Bool == false)
    }

    @Test func aLostBoardIsReported() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port)
        rig.awaitBoard()
        rig.page.send(request: #"{"type":"play","from":0}"#)
        #expect(wait { board.level > 0 })
        _ = board.end()
        let state = try #require(rig.page.next("board") { $0["felt"] as? Bool == false })
        #expect((state["why"] as? String)?.isEmpty == false)
        rig.edit(0, Self.intensity, "0.75")
        #expect(rig.page.next("ack") { $0["revision"] as? Int == 1 } != nil)
    }

    @Test func settingsOfTheUserWin() throws {
        let board = try LiveBoard()
        let rig = try StudioRig(Self.held, port: board.port, settings: #"{"haptics":false}"#)
        let state = try #require(rig.page.next("board") { $0["felt"] as? Bool == false })
        #expect((state["why"] as? String)?.isEmpty == false)
        rig.page.send(request: #"{"type":"play","from":0,"to":0.3}"#)
        #expect(rig.page.next("position") { $0["isPlaying"] as? Bool == false } != nil)
        #expect(!board.hasDriven)
    }
}
