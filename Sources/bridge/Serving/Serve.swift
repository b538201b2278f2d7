// bridge serve: allows any number of programs to play on a board simultaneously.

import ArgumentParser
import BoardSharing
import BridgeLink
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a board to several programs at the same time.",
        discussion: """
            Programs of the same user that play on the board share it, and their patterns are \
            mixed. When a program ends for any reason, only its own players end. Ctrl-C brings all \
            actuators to rest. While `calibrate`, `diagnose`, `actuator set` or `flash` needs \
            exclusive use of the port, no program can play; the board is served again afterwards.

            A program that plays on an unserved board starts this command automatically, \
            with --until-idle, if it finds `haptic-bridge` or `bridge` in its own folder or \
            `haptic-bridge` in PATH. The environment variable BRIDGE_SERVER specifies another \
            path; if it is empty, programs serve boards themselves.

            With --virtual, a simulated board in this process plays the messages from --osc, \
            --buttplug, --websocket, --rumble or --tcp, and the terminal shows its level; no \
            hardware is needed.

            Examples:
              bridge serve
              bridge serve --port /dev/ttyACM0 --until-idle
              bridge serve --osc --osc-rules vrchat
              bridge serve --virtual --osc
              bridge serve --buttplug
              bridge serve --websocket --websocket-origin http://localhost:8080
              bridge serve --rumble
              bridge serve --tcp 0.0.0.0:7600
            """)

    @Flag(help: "End two seconds after the last program has disconnected.")
    var untilIdle = false

    @Option(
        help: ArgumentHelp(
            "Accept programs on other computers at this TCP port if they have the key.",
            discussion: """
                Without a host, only this computer can connect, for example through ssh; 0.0.0.0 \
                and [::] mean all networks. The key is in the file that --key-file names, or else \
                in ~/.config/haptic-bridge/key, which is created if it does not exist. Programs on \
                other computers use a copy of it with --port tcp://HOST:PORT --key-file FILE. They \
                can play, query and stop; they cannot configure, calibrate, flash or reset the \
                board.
                """,
            valueName: "[host:]port"))
    var tcp: String?

    @OptionGroup(title: "Open Sound Control") var osc: OSCOptions
    @OptionGroup(title: "Buttplug messages") var buttplug: ButtplugOptions
    @OptionGroup(title: "Pages") var webSocket: WebSocketOptions
    @OptionGroup(title: "Games") var rumble: RumbleOptions
    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    /// The time without other programs after which the service ends, in microseconds.
    private static let idleTime: Microseconds = 2_000_000

    func validate() throws {
        let services = [
            ("--osc", osc.osc != nil), ("--buttplug", buttplug.buttplug != nil),
            ("--websocket", webSocket.webSocket != nil), ("--rumble", rumble.rumble),
        ]
        for (option, isRequested) in services where untilIdle && isRequested {
            throw ValidationError("--until-idle and \(option) cannot be combined.")
        }
        guard !board.virtual || tcp != nil || services.contains(where: \.1) else {
            throw ValidationError(
                "--virtual needs --osc, --buttplug, --websocket, --rumble or --tcp. For programs that "
                    + "use the library or a client, start `virtual-board` and serve its port.")
        }
    }

    /// The interval between two attempts to serve a released board again, in microseconds.
    private static let attemptInterval: Microseconds = 2_000_000

    func run() throws { try run(makeGamepad: UInputGamepad.init) }

    /// Serves the board until a signal arrives or the condition of `--until-idle` is met.
    ///
    /// - Parameter makeGamepad: a closure that creates a gamepad with a name.
    func run(makeGamepad: @escaping (String) throws -> any RumbleGamepad) throws {
        let level = LevelLine(isShown: board.virtual && !output.quiet)
        let device = try board.device(level.meter)
        let port = device.servedPort?()
        if let port, BoardServerClient.isKept(port: port) {
            throw ToolError(
                .busy, "\(port): other programs already serve or use this board",
                advice: "end the programs that use the board, or use the running server, which "
                    + "mixes all patterns on the board")
        }
        _ = try osc.rules()
        do {
            try Interruption.deferred { try serve(device, level, makeGamepad) }
        } catch let error as HapticError {
            throw ToolError(connecting: error, at: port)
        }
        if let status = Interruption.status { throw ToolError(status, "") }
    }

    /// Serves the board, and serves it again after it was released for a program that needs
    /// exclusive use of the port, such as calibration or flashing.
    private func serve(
        _ device: HapticDevice, _ level: LevelLine,
        _ makeGamepad: @escaping (String) throws -> any RumbleGamepad
    ) throws {
        var address = tcp
        var services = MessageServices(
            osc: osc, buttplug: buttplug, webSocket: webSocket,
            makeGamepad: rumble.rumble ? makeGamepad : nil)
        var wasReleased = false
        repeat {
            do {
                let listener = try address.map(openListener)
                address = listener?.address
                guard try serve(device, level, listener, &services) == .released, !untilIdle else {
                    return
                }
                wasReleased = true
                output.remark(
                    "the board was released, because another program needs its port; it is served "
                        + "again when that program has ended")
            } catch let error as HapticError where wasReleased && error.code != .serverInterrupted {
                output.detail("\(error.message)")
            } catch let error as ToolError where wasReleased && error.status == .busy {
                // Another program is using the address, perhaps only for a short time.
                output.detail(error.message)
            }
            hostClock.sleep(for: Self.attemptInterval)
        } while !Interruption.isRequested
    }

    /// Serves the board until it is released.
    private func serve(
        _ device: HapticDevice, _ level: LevelLine, _ listener: TCPListener?,
        _ services: inout MessageServices
    ) throws -> ServiceEnd {
        defer { services.end(output) }
        let pages = try webSocket.webSocket.map { _ in try InternalListener() }
        return try device.source.serve(
            untilIdle: untilIdle ? Self.idleTime : nil, listener: listener,
            pages: pages,
            while: {
                guard Interruption.isRequested else {
                    level.update()
                    return true
                }
                level.clear()
                services.end(output)
                return false
            },
            ready: { path in
                level.clear()
                try services.start(on: board.virtual ? device : .port(path), pages: pages, output)
                try announce(path, listener?.path, services)
            })
    }

    /// Opens the TCP listener for programs on other computers.
    private func openListener(at address: String) throws -> TCPListener {
        do {
            let file = board.connected.keyFile ?? RemoteKey.file
            return try TCPListener(at: address, key: RemoteKey(madeAt: file))
        } catch {
            throw ToolError(error, port: nil)
        }
    }

    private func announce(
        _ path: String, _ address: String?, _ services: MessageServices
    ) throws {
        let elsewhere = address.map { ", at \($0) for programs with the key" } ?? ""
        try output.result(
            [
                "schema": "bridge.serve/1", "board": .string(path), "tcp": .string(address),
                "osc": .string(services.oscAddress),
                "buttplug": .string(services.buttplugAddress),
                "websocket": .string(services.webSocketAddress),
                "rumble": .string(services.gamepadPath),
            ],
            text: "\(path): served\(elsewhere)\(services.text); "
                + "Ctrl-C brings all actuators to rest")
    }
}
