// Tests of the messages that a page sends to the studio.

import JSONText
import Testing

@testable import Studio

@Suite struct StudioRequestTests {
    @Test func anEditHasARevisionAndEditsInOrder() throws {
        let request = try StudioRequest(
            #"{"type":"edit","revision":4,"live":true,"edits":["#
                + #"{"op":"replace","path":"/Pattern/3/Event/Time","value":0.50},"#
                + #"{"op":"remove","path":"/Pattern/2"}]}"#)
        let time = JSONEdit(
            .replace(JSONValue(.number(text: "0.50"))),
            at: [.key("Pattern"), .index(3), .key("Event"), .key("Time")])
        let removal = JSONEdit(.remove, at: [.key("Pattern"), .index(2)])
        #expect(
            request
                == .edit(revision: 4, [StudioEdit(time), StudioEdit(removal)], isLive: true))
    }

    @Test func aPathIsAJSONPointer() throws {
        let request = try StudioRequest(
            #"{"type":"edit","revision":0,"edits":[{"op":"add","path":"/a~1b/~01/-/01/0","value":1}]}"#
        )
        let edit = JSONEdit(
            .add(JSONValue(.number(text: "1"))),
            at: [.key("a/b"), .key("~1"), .key("-"), .key("01"), .index(0)])
        #expect(request == .edit(revision: 0, [StudioEdit(edit)], isLive: false))
    }

    @Test func aPlaybackHasDefaults() throws {
        #expect(try StudioRequest(#"{"type":"play"}"#) == .play(StudioPlayback(from: 0)))
        var playback = StudioPlayback(from: 1, to: 2.5)
        (playback.isLooped, playback.rate, playback.gain) = (true, 0.5, 0.25)
        #expect(
            try StudioRequest(
                #"{"type":"play","from":1,"to":2.5,"loop":true,"rate":0.5,"gain":0.25}"#)
                == .play(playback))
    }

    @Test(arguments: [
        (#"{"type":"abx","action":"play","which":"X"}"#, StudioRequest.abxPlay(nil)),
        (#"{"type":"abx","action":"answer","answer":"B"}"#, .abxAnswer(.second)),
        (#"{"type":"swap","slot":"A"}"#, .swap(.first)),
        (#"{"type":"scrub","at":1.5}"#, .scrub(1.5)),
        (#"{"type":"mute","on":false}"#, .mute(false)),
        (#"{"type":"keep","file":"a.ahap"}"#, .keep("a.ahap")),
    ])
    func otherMessagesAreRead(_ text: String, _ request: StudioRequest) throws {
        #expect(try StudioRequest(text) == request)
    }

    @Test(arguments: [
        "", "7", "[]", "{", "{}", #"{"type":7}"#, #"{"type":"dance"}"#, #"{"type":"open"}"#,
        #"{"type":"open","file":null}"#, #"{"type":"edit","revision":-1,"edits":[]}"#,
        #"{"type":"edit","revision":0.5,"edits":[]}"#, #"{"type":"edit","revision":0}"#,
        #"{"type":"edit","revision":0,"edits":[7]}"#,
        #"{"type":"edit","revision":0,"edits":[{"op":"replace","path":"Pattern","value":1}]}"#,
        #"{"type":"edit","revision":0,"edits":[{"op":"replace","path":["Pattern"],"value":1}]}"#,
        #"{"type":"edit","revision":0,"edits":[{"op":"replace","path":"/0"}]}"#,
        #"{"type":"edit","revision":0,"edits":[{"op":"remove","path":""}]}"#,
        #"{"type":"edit","revision":0,"edits":[{"op":"set","path":"/0","value":1}]}"#,
        #"{"type":"edit","revision":0,"edits":[{"op":"remove","path":"/a~2"}]}"#,
        #"{"type":"play","from":"now"}"#, #"{"type":"play","from":-1}"#,
        #"{"type":"play","from":2,"to":1}"#, #"{"type":"play","rate":0}"#,
        #"{"type":"play","from":1e999}"#, #"{"type":"gain","value":2}"#,
        #"{"type":"snapshot","slot":"C"}"#, #"{"type":"abx","action":"guess"}"#,
        #"{"type":"mute","on":1}"#, #"{"type":"scrub"}"#,
    ])
    func whatIsNoMessageIsRefusedInWords(_ text: String) {
        let error = #expect(throws: StudioError.self) { _ = try StudioRequest(text) }
        #expect(error?.message.isEmpty == false)
    }
}
