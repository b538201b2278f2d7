// bridge serve: lets any number of programs play on a board at the same time.

import ArgumentParser
import BoardSharing
import BridgeLink
import HapticBridge
import JSONText
import SerialPorts

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a board to several programs at once.",
        discussion: """
            Programs of the same user that play on the board share it from then on, and what they \
            play is mixed. A program that ends, however it ends, takes its own players with it and \
            nobody else's. Ctrl-C brings everything to rest. While `calibrate`, `diagnose`, `actuator \
            set` or `flash` needs the port for itself, nobody can play; the board is served again \
            afterwards.

            A program that plays on a board which nobody serves starts this command by itself, with \
            --until-idle, if it finds `haptic-bridge` or `bridge` beside itself or `haptic-bridge` in \
            PATH. The environment variable BRIDGE_SERVER names another place; if it is empty, programs \
            serve boards themselves.

            With --virtual, a simulated board in this process plays what comes in by --osc or --tcp, and \
            the terminal shows its level: nothing else is needed to try them.

            Examples:
              bridge serve
              bridge serve --port /dev/ttyACM0 --until-idle
              bridge serve --osc --osc-rules vrchat
              bridge serve --virtual --osc
              bridge serve --tcp 0.0.0.0:7600
            """)

    @Flag(help: "End two seconds after the last program has ended.")
    var untilIdle = false

    @Option(
        help: ArgumentHelp(
            "Let programs of other computers in at this TCP port, if they have the key.",
            discussion: """
                Without a host, only this computer can connect, for example through ssh; 0.0.0.0 \
                and [::] stand for every network. The key is in the file of --key-file, or else in \
                ~/.config/haptic-bridge/key, where it is made if there is none. Programs elsewhere \
                give a copy of it with --port tcp://HOST:PORT --key-file FILE. They play, ask and \
                stop; they cannot configure, calibrate, flash or reset the board.
                """,
            valueName: "[host:]port"))
    var tcp: String?

    @OptionGroup(title: "Open Sound Control") var osc: OSCOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    /// The time without any other program after which the service ends, in microseconds.
    private static let idleTime: Microseconds = 2_000_000

    func validate() throws {
        guard !untilIdle || osc.osc == nil else {
            throw ValidationError("--until-idle and --osc cannot be combined.")
        }
        guard !board.virtual || osc.osc != nil || tcp != nil else {
            throw ValidationError(
                "--virtual needs --osc or --tcp: programs reach a board in this process by no other way."
            )
        }
    }

    /// The time between two attempts to serve a board again that was let go, in microseconds.
    private static let attemptInterval: Microseconds = 2_000_000

    func run() throws {
        let level = LevelLine(isShown: board.virtual && !output.quiet)
        let device = try board.device(level.meter)
        let port = device.servedPort?()
        if let port, ServedBoard.isKept(port: port) {
            throw ToolError(
                .busy, "\(port): another program serves this board already, or programs use it",
                advice: "end them, or let them play: what plays on the board is mixed")
        }
        _ = try osc.rules()
        do {
            try Interruption.deferred { try serve(device, level) }
        } catch let error as HapticError {
            throw ToolError(error, at: port)
        }
        if let status = Interruption.status { throw ToolError(status, "") }
    }

    /// Serves the board, and again after it was let go: a program that calibrates or flashes it needs
    /// the port for itself.
    private func serve(_ device: HapticDevice, _ level: LevelLine) throws {
        var (place, osc) = (tcp, osc)
        var wasReleased = false
        repeat {
            do {
                let door = try place.map(door)
                place = door?.place
                guard try serve(device, level, door, &osc) == .released, !untilIdle else { return }
                wasReleased = true
                output.remark(
                    "the board was let go, because another program needs its port; it is served again "
                        + "once that has ended")
            } catch let error as HapticError where wasReleased && error.code != .serverInterrupted {
                output.detail("\(error.message)")
            } catch let error as ToolError where wasReleased && error.status == .cannotCreate {
                // Another program has taken an address meanwhile, perhaps for a moment.
                output.detail(error.message)
            }
            hostClock.sleep(for: Self.attemptInterval)
        } while !Interruption.isRequested
    }

    /// Serves the board until it is let go. What receives messages has the same address the next time.
    private func serve(
        _ device: HapticDevice, _ level: LevelLine, _ door: NetworkDoor?, _ osc: inout OSCOptions
    ) throws -> ServiceEnd {
        var service: OSCService?
        defer { if let service { report(service.end()) } }
        return try device.source.serve(
            untilIdle: untilIdle ? Self.idleTime : nil, letIn: door,
            while: {
                guard Interruption.isRequested else {
                    level.update()
                    return true
                }
                level.clear()
                if let ended = service { report(ended.end()) }
                service = nil
                return false
            },
            ready: { path in
                level.clear()
                if osc.osc != nil {
                    service = try OSCService(
                        osc, on: board.virtual ? device : .port(path), output)
                }
                osc.osc = service?.address
                try announce(path, door?.path, service)
            })
    }

    /// Opens the door for programs of other computers.
    private func door(at place: String) throws -> NetworkDoor {
        do {
            let file = board.connected.keyFile ?? RemoteKey.file
            return try NetworkDoor(at: place, key: RemoteKey(madeAt: file))
        } catch {
            throw ToolError(error, port: nil)
        }
    }

    private func announce(_ path: String, _ door: String?, _ service: OSCService?) throws {
        let elsewhere = door.map { ", at \($0) to programs with the key too" } ?? ""
        let place = service.map { "; OSC at udp \($0.address)" } ?? ""
        try output.result(
            [
                "schema": "bridge.serve/1", "board": .string(path), "tcp": .string(door),
                "osc": .string(service?.address),
            ],
            text: "\(path): served\(elsewhere)\(place); Ctrl-C brings everything to rest")
    }

    /// Tells what has come of the messages.
    private func report(_ report: OSCService.Report) {
        // A result that nobody reads is no reason to fail at the end.
        try? output.result(report.json, text: report.text)
    }
}
