// Tests of the device's role in an audition with Meta Haptics Studio.

import Testing

@testable import ProgramProtocols

@Suite struct StudioSessionTests {
    private func connected() throws -> StudioSession {
        var session = StudioSession(at: 0)
        #expect(
            try session.receive(#"0{"pingInterval":5000,"pingTimeout":20000}"#, at: 0)
                == [.send("40")])
        #expect(try session.receive(#"40{"sid":"a"}"#, at: 0).isEmpty)
        return session
    }

    private func granted() throws -> StudioSession {
        var session = try connected()
        #expect(
            try session.receive(#"42["auth_granted",{}]"#, at: 0) == [
                .granted, .send(#"42["get_current_clip"]"#),
            ])
        return session
    }

    private static let update =
        #"42["clip_update",{"clipId":"c1","name":"Door","haptic":"{\"version\":1}","playhead":0}]"#
    private static let clip = StudioClip(
        id: "c1", name: "Door", haptic: Array(#"{"version":1}"#.utf8))

    @Test func aDeviceSaysWhoItIsWhenItConnects() {
        let device = StudioSession.Device(id: "ab-1", name: "Uno & Söhne", version: "1.0.0")
        #expect(
            StudioSession.target(of: device)
                == "/ws/?deviceId=ab-1&name=Uno%20%26%20S%C3%B6hne&model=Haptic%20Bridge"
                + "&version=1.0.0&EIO=4&transport=websocket")
    }

    @Test func anUnknownDeviceAsksForTheDigitsUntilTheyAreRight() throws {
        var session = try connected()
        #expect(session.answer("1234").isEmpty)
        #expect(try session.receive(#"42["auth_required",{}]"#, at: 0) == [.ask(isAgain: false)])
        #expect(session.answer("0000") == [.send(#"42["auth_request",{"authCode":"0000"}]"#)])
        #expect(
            try session.receive(#"42["auth_request",{"status":"error"}]"#, at: 0) == [
                .ask(isAgain: true)
            ])
        #expect(session.answer("1234") == [.send(#"42["auth_request",{"authCode":"1234"}]"#)])
        #expect(
            try session.receive(#"42["auth_request",{"status":"ok"}]"#, at: 0) == [
                .granted, .send(#"42["get_current_clip"]"#),
            ])
    }

    @Test func eachEditPlaysTheClip() throws {
        var session = try granted()
        #expect(try session.receive(Self.update, at: 0) == [.play(Self.clip)])
    }

    @Test func nothingPlaysBeforeTheDeviceIsLetIn() throws {
        for event in ["clip_update", "get_clip", "get_current_clip", "play_test_pattern"] {
            var session = try connected()
            let text = Self.update.replacing("clip_update", with: event)
            #expect(try session.receive(text, at: 0).isEmpty)
        }
        var session = try connected()
        #expect(try session.receive(#"42["auth_request",{"status":"ok"}]"#, at: 0).isEmpty)
        #expect(try session.receive(Self.update, at: 0).isEmpty)
    }

    @Test func theClipThatIsThereAtFirstDoesNotPlay() throws {
        var session = try granted()
        let text = Self.update.replacing("clip_update", with: "get_current_clip")
        #expect(try session.receive(text, at: 0) == [.present(Self.clip)])
    }

    @Test func aClipThatIsSelectedIsAskedForAndPlaysOnce() throws {
        var session = try granted()
        let answer = Self.update.replacing("clip_update", with: "get_clip")
        #expect(try session.receive(answer, at: 0).isEmpty, "no device has requested the clip")
        #expect(
            try session.receive(#"42["current_clip",{"currentClipId":"c1"}]"#, at: 0) == [
                .send(#"42["get_clip",{"clipId":"c1"}]"#)
            ])
        #expect(try session.receive(answer, at: 0) == [.play(Self.clip)])
        #expect(try session.receive(answer, at: 0).isEmpty, "another device has requested the clip")
        #expect(
            try session.receive(#"42["current_clip",{"currentClipId":""}]"#, at: 0) == [.stop])
    }

    @Test func closingTheProjectStopsWhatPlays() throws {
        var session = try granted()
        #expect(try session.receive(#"42["project_close",{}]"#, at: 0) == [.stop])
        #expect(try session.receive(#"42["play_test_pattern",{}]"#, at: 0) == [.playTest])
    }

    @Test(arguments: [
        #"42["clip_update"]"#, #"42["clip_update",{}]"#, #"42["clip_update",[]]"#,
        #"42["clip_update",{"clipId":1,"haptic":"x"}]"#, #"42["clip_update",{"clipId":"a"}]"#,
        #"42["current_clip",null]"#, #"42["metadata",{"version":"2.3"}]"#,
        #"42["auth_granted",{}]"#,
    ])
    func eventsWithoutAClipPlayNothing(text: String) throws {
        var session = try granted()
        for output in try session.receive(text, at: 0) { #expect(output == .stop) }
    }

    @Test func aNameFromTheNetworkCannotMoveTheCursor() throws {
        var session = try granted()
        let name = #"\u001b]0;x\u0007\r\n\u202eDoor"# + String(repeating: "o", count: 1000)
        let text = Self.update.replacing("Door", with: name)
        guard case .play(let clip) = try session.receive(text, at: 0).first else {
            Issue.record("no clip")
            return
        }
        #expect(clip.name == "]0;xDoor" + String(repeating: "o", count: 24) + "…")
    }

    @Test func announcementsNameAPort() {
        func announcement(_ text: String) -> StudioAnnouncement? {
            StudioAnnouncement(Array(text.utf8))
        }
        let right = announcement(#"{"hostname":"desk","port":9999}"#)
        #expect(right?.hostname == "desk" && right?.port == 9999)
        #expect(announcement(#"{"hostname":"\u001b[2Jdesk","port":1}"#)?.hostname == "[2Jdesk")
        for text in [
            "", "{}", "[]", "GET / HTTP/1.1", #"{"hostname":"desk"}"#, #"{"port":9999}"#,
            #"{"hostname":"desk","port":0}"#, #"{"hostname":"desk","port":65536}"#,
            #"{"hostname":"desk","port":99.5}"#, #"{"hostname":"desk","port":1e400}"#,
            #"{"hostname":"desk","port":"9999"}"#, #"{"hostname":"desk","port":9999"#,
            #"{"hostname":"\#(String(repeating: "d", count: 2000))","port":9999}"#,
        ] { #expect(announcement(text) == nil, "\(text)") }
    }
}
