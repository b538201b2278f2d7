// Tests in which a program sends more data than a board stores for one program while another
// program plays.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTool) struct FloodTests {
    /// A flood of messages that exceeds a limit. The server ends the connection of a program that
    /// sends it.
    enum Flood: CaseIterable {
        case parameters
        case points
        case starts
        case pauses
        case players
        case densePattern
        case playersAtOnce
        case mutedPlayers
        case loops
        case envelopes

        /// The words that name the limit in the message to the program.
        var limit: String {
            switch self {
            case .parameters, .points: "more than 20000 parameters and control points"
            case .starts: "or 1000 starts and stops"
            case .pauses: "more than 500 pauses"
            case .players: "more than 1000000 entries"
            case .envelopes: "one command would change more than"
            case .densePattern, .playersAtOnce, .mutedPlayers, .loops:
                "more than 500 players, events and control points"
            }
        }

        /// A player that plays a weak level for an hour.
        private static let player =
            #"{"type":"pattern","player":1,"events":[[1,0,3600000000,0.02,0]],"more":true}"# + "\n"
            + #"{"type":"add","player":1,"more":true}"# + "\n" + #"{"type":"start","player":1}"#

        /// Creates and starts one more player than may play at the same time.
        private static let manyPlayers = (2..<502).flatMap {
            [
                #"{"type":"pattern","player":\#($0),"events":[[1,0,3600000000,0.01,0]]}"#,
                #"{"type":"add","player":\#($0)}"#, #"{"type":"start","player":\#($0)}"#,
            ]
        }

        /// The messages of the flood, one per line.
        var messages: [Substring] {
            let far = Link.now().microseconds + 600_000_000
            let text: [String] =
                switch self {
                case .parameters:
                    (0..<21).map { part in
                        let values = (0..<1_000).map { value in
                            #"["HapticIntensityControl",\#((part * 1_000 + value) * 1_000),0.5]"#
                        }
                        return #"{"type":"parameters","player":1,"time":\#(far),"parameters":["#
                            + values.joined(separator: ",") + "]}"
                    }
                case .points:
                    (0..<21).map { part in
                        let points = (0..<1_000).map { "[\($0 * 1_000),0.5]" }.joined(
                            separator: ",")
                        return #"{"type":"curve","player":1,"time":\#(far + Int64(part)),"#
                            + #""curves":[["HapticIntensityControl",0,[\#(points)]]]}"#
                    }
                case .starts:
                    (0...20_000).map { #"{"type":"start","player":1,"time":\#(far + Int64($0))}"# }
                case .pauses:
                    (0...10_000).map { #"{"type":"pause","player":1,"time":\#(far + Int64($0))}"# }
                case .players:
                    (2..<20_002).map { #"{"type":"add","player":\#($0)}"# }
                case .densePattern:
                    [
                        #"{"type":"pattern","player":2,"events":["#
                            + (0...500).map { #"[1,\#($0 * 90),1000000,0,0]"# }.joined(
                                separator: ",")
                            + "]}", #"{"type":"add","player":2}"#,
                    ]
                case .playersAtOnce: Self.manyPlayers
                case .mutedPlayers: [#"{"type":"mute","muted":true}"#] + Self.manyPlayers
                case .loops:
                    [
                        #"{"type":"pattern","player":2,"events":[[1,0,5000,0.02,0]],"curves":"#
                            + #"[["HapticIntensityControl",20000,["#
                            + (0..<4_000).map { "[\($0 * 1_000),0.5]" }.joined(separator: ",")
                            + "]]]}",
                        #"{"type":"add","player":2}"#,
                        #"{"type":"loop","player":2,"enabled":true,"loop_end":10000}"#,
                        #"{"type":"parameters","player":2,"time":0,"parameters":"#
                            + #"[["HapticIntensityControl",0,0.5]]}"#,
                        #"{"type":"start","player":2}"#,
                    ]
                case .envelopes:
                    (0..<5).map { part in
                        #"{"type":"pattern","player":2,"events":["#
                            + (0..<1_000).map {
                                "[1,\((part * 1_000 + $0) * 10_000),9000,0.02,0]"
                            }.joined(separator: ",") + #"],"more":true}"#
                    } + [
                        #"{"type":"add","player":2}"#,
                        #"{"type":"parameters","player":2,"time":0,"parameters":"#
                            + #"[["HapticAttackTimeControl",0,0.1]]}"#,
                    ]
                }
            return ([Self.player] + text).flatMap { $0.split(separator: "\n") }
        }
    }

    @Test(arguments: Flood.allCases)
    func whoSendsMoreThanIsKeptIsEndedAloneWithTheReason(flood: Flood) throws {
        let shared = try SharedBoard()
        let server = try shared.server()
        try shared.holding()
        let connection = MessageConnection(try #require(LocalSocket.connected(to: shared.socket)))
        try connection.send(ClientMessage.hello(for: .engine(.default)))
        var (hasStarted, reason) = (false, HapticError?.none)
        func read() {
            for report in (try? connection.reports()) ?? [] {
                switch report {
                case .started: hasStarted = true
                case .lost(let error): reason = error
                default: break
                }
            }
        }
        #expect(
            wait {
                read()
                return hasStarted
            })
        for message in flood.messages where reason == nil {
            try connection.send(JSONDecoder().decode(ClientMessage.self, from: Data(message.utf8)))
            while connection.hasBacklog, !connection.isBroken {
                pause(1_000)
                connection.flush()
            }
            read()
        }
        #expect(
            wait(seconds: 2) {
                try? connection.send(ClientMessage.alive())
                read()
                return reason != nil
            })
        #expect(reason?.code == .memoryError)
        #expect(reason?.message.contains(flood.limit) == true, "\(String(describing: reason))")
        #expect(shared.board.level == 128, "the other program continues to play")
        server.signal(SIGTERM)
        #expect(server.outcome().wasKilled)
    }
}
