// Handler: a function of the app's.

import BridgeLink
import Foundation
import Logging

/// A function that the app has provided. As in Core Haptics, its type does not say that it may be
/// called on another thread.
///
/// The conformance is checked by hand: the function is called and released on the queue
/// `EngineCore.callbacks` only, and otherwise only copied. An app that reads the function back
/// calls it itself.
struct Handler<Function>: @unchecked Sendable {
    let call: Function

    init(_ call: Function) { self.call = call }
}
