import { Bookmark } from "lucide-react";
import { apiError } from "../../backend/backend";
import { MenuItem, MenuLine, MoreMenu } from "../../kit/Menu";
import { PlaceHeading, PlaceItem } from "../../kit/PlaceItem";
import { complain } from "../../kit/Toast";
import { useBackend, useRegistry, useStores, useViewParts, useViewStore } from "../../store/context";
import { goToView } from "../../store/saved";

const WHERE = ["saved"] as const;

/** Saved views in the side bar. */
export function ViewItems() {
  const backend = useBackend();
  const { operations } = useStores();
  const { views } = useRegistry();
  const { saved } = useViewParts(WHERE);
  const view = useViewStore();
  if (views.length === 0) return null;
  const ids = views.map((each) => each.id);
  const step = (at: number, by: -1 | 1) => {
    const order = ids.filter((_, index) => index !== at);
    order.splice(at + by, 0, ids[at] ?? "");
    backend.arrangeViews(order).catch((thrown: unknown) => complain(apiError(thrown)));
  };
  const remove = (id: string, name: string, definition: string) => {
    let standing = id;
    const gone = () => backend.removeView(standing);
    gone().then(
      () => {
        if (view.get().saved === id) view.go(view.get().place);
        operations.did({
          words: `The view ${name} is gone`,
          redo: gone,
          undo: async () => {
            standing = await backend.saveView(null, name, definition);
          },
        });
      },
      (thrown: unknown) => complain(apiError(thrown)),
    );
  };
  return (
    <section aria-label="Views">
      <PlaceHeading>Views</PlaceHeading>
      <ul className="flex flex-col gap-px">
        {views.map((each, at) => (
          <li key={each.id}>
            <PlaceItem
              id={`view:${each.id}`}
              name={each.name}
              icon={Bookmark}
              chosen={saved === each.id}
              onClick={() => goToView(view, each)}
              menu={
                <MoreMenu label={`Actions for the view ${each.name}`}>
                  <MenuItem
                    onClick={() => {
                      goToView(view, each);
                      view.open({ is: "saveView", id: each.id });
                    }}
                  >
                    Rename…
                  </MenuItem>
                  <MenuItem disabled={at === 0} onClick={() => step(at, -1)}>
                    Move up
                  </MenuItem>
                  <MenuItem disabled={at + 1 === views.length} onClick={() => step(at, 1)}>
                    Move down
                  </MenuItem>
                  <MenuLine />
                  <MenuItem danger onClick={() => remove(each.id, each.name, each.definition)}>
                    Remove
                  </MenuItem>
                </MoreMenu>
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
