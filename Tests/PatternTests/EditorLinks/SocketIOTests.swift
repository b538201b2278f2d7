// Tests of Engine.IO and Socket.IO with literal packets of these protocols.

import JSONText
import Testing

@testable import ProgramProtocols

@Suite struct SocketIOTests {
    private static let handshake =
        #"0{"sid":"lv_VI97HAXpY6yYWAAAC","upgrades":[],"pingInterval":5000,"pingTimeout":20000}"#

    private func connected() throws -> SocketIOSession {
        var session = SocketIOSession(at: 0)
        #expect(try session.receive(Self.handshake, at: 0) == [.send("40")])
        #expect(try session.receive(#"40{"sid":"wZX3oN0bSVIhsaknAAAI"}"#, at: 0) == [.connected])
        return session
    }

    @Test func aClientAsksForTheNamespaceAndAnswersPings() throws {
        var session = try connected()
        #expect(try session.receive("2", at: 1) == [.send("3")])
        #expect(try session.receive("2probe", at: 1) == [.send("3probe")])
        #expect(try session.receive("6", at: 1).isEmpty)
    }

    @Test func eventsHaveANameAndArguments() throws {
        var session = try connected()
        #expect(
            try session.receive(#"42["hello",1,{"a":"b"}]"#, at: 1) == [
                .event(
                    "hello",
                    [
                        JSONValue(.number(text: "1")),
                        JSONValue(
                            .object(JSONObject([JSONObject.Member("a", JSONValue(.string("b")))]))),
                    ])
            ])
        #expect(try session.receive(#"42/,["hello"]"#, at: 1) == [.event("hello", [])])
    }

    @Test func anAcknowledgementIsGivenWhereItIsAskedFor() throws {
        var session = try connected()
        #expect(
            try session.receive(#"4213["hello"]"#, at: 1) == [.send("4313[]"), .event("hello", [])])
        #expect(try session.receive("4313[]", at: 1).isEmpty)
    }

    @Test func bytesFollowThePacketThatAnnouncesThem() throws {
        var session = try connected()
        let packet = #"451-["get_audio_binary",{"audio":{"_placeholder":true,"num":0}}]"#
        #expect(try session.receive(packet, at: 1).isEmpty)
        #expect(throws: EditorLinkError.self) { try session.receive(#"42["early"]"#, at: 1) }
        // A ping belongs to a different protocol layer.
        #expect(try session.receive("2", at: 1) == [.send("3")])
        try session.receiveBinary(at: 1)
        #expect(try session.receive(#"42["now"]"#, at: 1) == [.event("now", [])])
        #expect(throws: EditorLinkError.self) { try session.receiveBinary(at: 1) }
    }

    @Test(arguments: [
        ("1", "the editor has closed the connection"),
        ("41", "the editor has ended the connection"),
        (#"44{"message":"Not authorized"}"#, "the editor refuses the connection: Not authorized"),
        ("44", "the editor refuses the connection: no reason is given"),
    ])
    func theEndIsReportedAndNothingCountsAfterIt(text: String, reason: String) throws {
        var session = try connected()
        #expect(try session.receive(text, at: 1) == [.end(reason)])
        #expect(try session.receive(#"42["late"]"#, at: 2).isEmpty)
    }

    @Test func silenceIsLimitedByWhatTheHandshakeSays() throws {
        var session = SocketIOSession(at: 7)
        #expect(session.deadline == 7 + 10_000_000)
        _ = try session.receive(Self.handshake, at: 100)
        #expect(session.deadline == 100 + 10_000_000)
        _ = try session.receive("2", at: 5_000_000)
        #expect(session.deadline == 15_000_000)
    }

    @Test(arguments: ["1e300", "-5", "86400000"])
    func aServerCannotMakeAClientWaitLongerThanHalfAMinute(time: String) throws {
        var session = SocketIOSession(at: 0)
        _ = try session.receive(#"0{"pingInterval":\#(time),"pingTimeout":\#(time)}"#, at: 0)
        #expect((2000...30_000_000).contains(session.deadline))
    }

    @Test(arguments: [
        "", "x", "5", "9", "b", "0", "0{", "0[]", #"0{"pingInterval":1}"#,
        #"0{"pingInterval":"1","pingTimeout":1}"#, #"42["early"]"#, "40", "é", "\u{1B}[2J",
    ])
    func whatCannotBeginAConnectionIsRefused(text: String) {
        var session = SocketIOSession(at: 0)
        #expect(throws: EditorLinkError.self) { try session.receive(text, at: 0) }
    }

    @Test(arguments: [
        "4", "42", "42{}", "42[]", "42[1]", #"42["a""#, "47", "42/admin,[\"a\"]", "45[]",
        #"45-["a"]"#, #"4517-["a"]"#, #"45999999999999999999-["a"]"#, "40", "0{}",
        #"42999999999999999999["a"]"#, "42" + String(repeating: "[", count: 100_000),
    ])
    func whatCannotFollowIsRefused(text: String) throws {
        var session = try connected()
        #expect(throws: EditorLinkError.self) { try session.receive(text, at: 0) }
    }

    @Test func aRefusalQuotesNothingThatMovesTheCursor() throws {
        var session = try connected()
        let end = try session.receive(#"44{"message":"\u001b[2Jgo\u202e\u0007\n away"}"#, at: 0)
        #expect(end == [.end("the editor refuses the connection: [2Jgo away")])
    }

    @Test func eventsAreSentAsTextWithoutSpaces() {
        let argument = JSONValue(
            .object(JSONObject([JSONObject.Member("authCode", JSONValue(.string("12\"34")))])))
        #expect(SocketIOPacket.text(ofEvent: "current_project") == #"2["current_project"]"#)
        #expect(
            SocketIOPacket.text(ofEvent: "auth_request", argument)
                == #"2["auth_request",{"authCode":"12\"34"}]"#)
    }
}
