// RenderingTarget: the actuator for which a file is rendered.

import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler

/// The profile for which a file is compiled, and the actuators on which a model plays it.
struct RenderingTarget {
    /// An actuator, and the profile for which its stream is compiled.
    struct Model {
        var configuration: ActuatorConfiguration
        var profile: DeviceProfile
    }

    /// The name of the profile in messages.
    var name: String
    var profile: DeviceProfile
    var models: [Model]

    /// The name of the profile that stands for the board's own.
    static let board = "board"

    /// Returns the target that the options choose: the board's actuator if a board is chosen, with
    /// the named profile instead of its own if there is one; the named profile; or otherwise the
    /// reference with a coin actuator of each kind. Throws `ToolError`.
    init(_ compiling: CompilingOptions, _ board: BoardOptions) throws {
        let other = try compiling.profile.flatMap {
            $0 == Self.board ? nil : try CompilingOptions.deviceProfile(named: $0)
        }
        if board.isChosen || compiling.profile == Self.board {
            self = try board.withBoard(.shared) { try Self(of: $0, profile: other) }
        } else if let other, let name = compiling.profile {
            self.init(name, other)
        } else {
            self.init()
        }
    }

    /// Makes the target without a choice: the reference, and a coin actuator of each kind with a
    /// stream of its own.
    private init() {
        name = DeviceProfile.reference.name
        profile = .reference
        models = Self.coins.map { Model(configuration: $0, profile: DeviceProfile(of: $0)) }
    }

    private static let coins = [ActuatorConfiguration.coinLRA, .coinERM]

    /// Makes the target of a profile, on the coin actuators of its kind.
    private init(_ name: String, _ profile: DeviceProfile) {
        self.name = name
        self.profile = profile
        let coins = Self.coins.filter { coin in
            profile.plant.map { ($0.kind == .erm) == (coin.kind == .erm) } ?? true
        }
        models = coins.map { Model(configuration: $0, profile: profile) }
    }

    /// Makes the target of the first actuator of a board that is configured, with another profile
    /// than its own if one is given.
    private init(of board: HapticBoard, profile other: DeviceProfile?) throws {
        guard let actuator = try board.actuators().first(where: { $0.kind != .none }) else {
            throw ToolError(unconfigured: 0, at: board.path)
        }
        let configuration = try board.link.configuration(ofActuator: actuator.actuator)
        profile = other ?? DeviceProfile(of: configuration)
        name = "\(profile.name) at \(board.path)"
        models = [Model(configuration: configuration, profile: profile)]
    }
}
