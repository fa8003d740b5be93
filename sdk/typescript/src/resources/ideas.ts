import { Pages } from "../paging.js";
import type { Body, CallOptions, Query, Schema } from "../types.js";
import { Resource } from "./resource.js";

/** Ideas: boards and their cards. */
export class Ideas extends Resource {
  listBoards(options?: CallOptions): Pages<Schema<"IdeaBoard">> {
    return this.pages("list-idea-boards", {}, options);
  }

  /** Returns a board with one page of its cards. */
  getBoard(id: string, query?: Query<"get-idea-board">, options?: CallOptions): Promise<Schema<"IdeaBoardCards">> {
    return this.api.call("get-idea-board", { path: { id }, query }, options);
  }

  /** Returns all cards of a board, by column from left to right, then from top to bottom. */
  listCards(id: string, query?: Query<"get-idea-board">, options?: CallOptions): Pages<Schema<"IdeaCard">> {
    const read = async (cursor: string | undefined) => {
      const page = await this.getBoard(id, { ...query, ...(cursor !== undefined && { cursor }) }, options);
      return { data: page.cards, nextCursor: page.nextCursor };
    };
    return new Pages(read, query?.cursor);
  }

  createCard(boardId: string, body: Body<"create-idea-card">, options?: CallOptions): Promise<Schema<"IdeaCard">> {
    return this.api.call("create-idea-card", { path: { id: boardId }, body }, options);
  }
}
