import { CSPProvider } from "@base-ui/react/csp-provider";
import { render, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect } from "vitest";
import type { FakeBackend } from "../backend/fake";
import { HintProvider } from "../kit/Hint";
import { ToastProvider } from "../kit/Toast";
import { makeStores, StoresProvider, type Stores } from "../store/context";

/** One screen by itself on a fake application, once what it shares with others has loaded. */
export async function openPiece(fake: FakeBackend, piece: ReactNode | ((stores: Stores) => ReactNode)) {
  const stores = makeStores(fake);
  const user = userEvent.setup();
  void stores.registry.start();
  await waitFor(() => expect(stores.registry.get().phase).toBe("ready"));
  const shown = render(
    <CSPProvider disableStyleElements>
      <StoresProvider stores={stores}>
        <HintProvider delay={500}>
          <ToastProvider>{typeof piece === "function" ? piece(stores) : piece}</ToastProvider>
        </HintProvider>
      </StoresProvider>
    </CSPProvider>,
  );
  return { stores, user, ...shown };
}
